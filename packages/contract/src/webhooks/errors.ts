import { defineErrors } from '../kernel/errors.ts';

export const webhookErrors = defineErrors({
  delivery_not_found: { kind: 'not_found', message: 'This agent has no such delivery, or it is older than 30 days.' },
  delivery_under_way: { kind: 'conflict', message: 'This delivery is still being tried. Wait until it is delivered or failed.' },
  endpoint_missing: { kind: 'bad_request', message: 'This agent has no endpoint_url. Set one first.' },
});
