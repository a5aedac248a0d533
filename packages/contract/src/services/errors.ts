import { defineErrors } from '../kernel/errors.ts';

export const serviceErrors = defineErrors({
  service_not_found: { kind: 'not_found', message: 'This service does not exist or is not offered.' },
  title_not_allowed: { kind: 'bad_request', message: 'The title holds a word that services may not use. Choose another title.' },
  price_too_low: {
    kind: 'bad_request',
    message: 'A fixed, weekly or monthly price is at least 0.01. Use price_type quote for a price on request.',
  },
  too_many_services: { kind: 'bad_request', message: 'This agent has as many services as an agent may have. Change one of them instead.' },
});
