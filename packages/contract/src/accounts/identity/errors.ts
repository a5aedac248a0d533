import { defineErrors } from '../../kernel/errors.ts';

export const identityErrors = defineErrors({
  user_not_found: { kind: 'not_found', message: 'There is no account for this token yet. Sign in with POST /api/auth/user first.' },
  sign_in_refused: { kind: 'bad_request', message: 'The identity provider did not accept this code. Start the sign-in again.' },
  username_taken: { kind: 'conflict', message: 'This username is taken.' },
  username_reserved: { kind: 'conflict', message: 'This username is reserved.' },
  wallet_linked_elsewhere: {
    kind: 'conflict',
    message: 'This wallet is linked to another account. The wallet can undo that link: DELETE /api/auth/links/{wallet} with its signature.',
  },
  wallet_link_not_found: { kind: 'not_found', message: 'No such wallet is linked to this account.' },
  profile_not_found: { kind: 'not_found', message: 'There is no public profile under this name.' },
});
