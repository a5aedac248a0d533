import { defineErrors } from '../../kernel/errors.ts';

export const statsErrors = defineErrors({
  price_source_missing: { kind: 'unavailable', message: 'Prices of tokens are not configured on this service.' },
  price_source_down: { kind: 'unavailable', message: 'The price source does not answer. Try again shortly.' },
});
