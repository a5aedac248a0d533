import { defineErrors } from '../kernel/errors.ts';

export const moderationErrors = defineErrors({
  invalid_identity: { kind: 'bad_request', message: 'This is no identity of that kind.' },
  cannot_ban_yourself: { kind: 'bad_request', message: 'This identity is your own. Another administrator must do it.' },
  ban_not_found: { kind: 'not_found', message: 'This identity is not banned.' },
});
