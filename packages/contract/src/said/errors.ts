import { defineErrors } from '../kernel/errors.ts';

export const saidErrors = defineErrors({
  said_exists: { kind: 'conflict', message: 'This agent has an identity on chain. An agent has at most one.' },
  said_in_progress: { kind: 'conflict', message: 'An identity of this agent is being minted. Look again in a minute.' },
});
