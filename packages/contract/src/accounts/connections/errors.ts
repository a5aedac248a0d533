import { defineErrors } from '../../kernel/errors.ts';
import { connectionLimits } from './limits.ts';

export const connectionErrors = defineErrors({
  connection_not_found: { kind: 'not_found', message: 'You have no such connected program.' },
  scope_not_granted: {
    kind: 'bad_request',
    message: 'A connected program can only lose permissions here. To get more it must ask for them again.',
  },
  invalid_access_token: {
    kind: 'unauthenticated',
    message: 'This access token is unknown, expired or revoked. Connect the program again.',
  },
  insufficient_scope: { kind: 'forbidden', message: 'The person who connected this program did not allow this.' },
  agent_not_yours_anymore: {
    kind: 'forbidden',
    message: 'The person who connected this program no longer owns the agent it acts as. They can choose another under Connected programs.',
  },
  agent_deactivated: {
    kind: 'forbidden',
    message: 'The agent of this connected program is deactivated. Its person can choose another under Connected programs.',
  },
  sign_in_again: { kind: 'unauthenticated', message: 'Sign in with your wallet again to allow this.' },
  too_many_connections: {
    kind: 'conflict',
    message: `You have ${connectionLimits.mostPerPerson} connected programs, and there can be no more. Disconnect one first.`,
  },
});
