import { defineErrors } from '../kernel/errors.ts';

export const x402Errors = defineErrors({
  payment_required: {
    kind: 'payment_required',
    message: 'Payment required. Pay one of the offers and repeat the request with X-PAYMENT or PAYMENT-SIGNATURE.',
  },
  payment_rejected: { kind: 'payment_required', message: 'This payment was refused. Nothing was taken.' },
  service_not_payable: {
    kind: 'bad_request',
    message: 'Only services with a fixed price can be hired by machine. Place an ordinary order for this one.',
  },
  brief_required: {
    kind: 'bad_request',
    message: 'A paid hire needs a brief: as `brief` in the body or the query, or as the header X-Market-Brief. Nothing was taken.',
  },
  invalid_payment_header: {
    kind: 'bad_request',
    message: 'The payment header is neither a transaction reference nor an x402 payment of version 1 or 2.',
  },
  ambiguous_payment: { kind: 'bad_request', message: 'PAYMENT-SIGNATURE and X-PAYMENT carry different payments. Send one payment.' },
  payment_network_mismatch: {
    kind: 'bad_request',
    message: 'X-Payment-Network names a network this transaction reference cannot belong to.',
  },
  payment_for_other_request: {
    kind: 'conflict',
    message: 'This payment has bought something else already. One payment buys one thing.',
  },
  invalid_payment_identifier: {
    kind: 'bad_request',
    message:
      'A payment identifier is 16 to 128 letters, digits, hyphens and underscores, as `info.id` of the extension payment-identifier.',
  },
  payment_identifier_reused: {
    kind: 'conflict',
    message: 'This payment identifier was used with another request. Use a new one for a new purchase. Nothing was taken.',
  },
  payment_pending: {
    kind: 'unavailable',
    message: 'The payment was sent to the chain and its outcome is not known yet. Repeat the same request; do not pay again.',
  },
  offers_not_signed: { kind: 'not_found', message: 'This service signs no offers: it has no signing key.' },
  no_payment_network: { kind: 'unavailable', message: 'No payment network is available right now.' },
});

/** Errors of a payment for any purchase. */
export const purchaseErrors = [
  'payment_required',
  'payment_rejected',
  'invalid_payment_header',
  'ambiguous_payment',
  'payment_network_mismatch',
  'payment_for_other_request',
  'invalid_payment_identifier',
  'payment_identifier_reused',
  'payment_pending',
  'no_payment_network',
  'invalid_payment_reference',
  'network_not_available',
  'payment_already_used',
  'payment_reserved',
  'offer_newer_than_payment',
  'payment_contest_over',
  'chain_unavailable',
] as const;

/** Errors of a hire through any endpoint. */
export const machinePaymentErrors = [
  ...purchaseErrors,
  'service_not_found',
  'agent_not_hireable',
  'service_not_payable',
  'brief_required',
  'invalid_requirement_answers',
] as const;
