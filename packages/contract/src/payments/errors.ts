import { defineErrors } from '../kernel/errors.ts';

export const paymentErrors = defineErrors({
  invalid_payment_reference: {
    kind: 'bad_request',
    message: 'This is not a transaction reference of that network: a base58 signature on Solana, 0x and 64 hex characters on EVM networks.',
  },
  network_not_available: { kind: 'bad_request', message: 'This service takes no payments on that network.' },
  payment_already_used: { kind: 'conflict', message: 'This transfer has been used already. One transfer pays for one thing.' },
  payment_reserved: {
    kind: 'conflict',
    message:
      'This transfer came from a wallet that has proven itself here, so a proof of that wallet must come with it. Sign the text in data.sign.message with that wallet, then repeat the request with the headers in data.sign.headers. Nothing was used up.',
  },
  offer_newer_than_payment: {
    kind: 'conflict',
    message:
      'This offer, or its price, is newer than your transfer. Repeat the request with a signature of the wallet that paid, or pay again. Nothing was used up.',
  },
  payment_contest_over: {
    kind: 'conflict',
    message:
      'This transfer was presented for another request first, and that payment can no longer be moved. What it bought belongs to the wallet that paid.',
  },
  payment_contestable: {
    kind: 'conflict',
    message: 'The wallet that paid can still claim this payment for another request, so nothing is paid out yet. Try again after that.',
  },
  payment_not_found: {
    kind: 'bad_request',
    message: 'No transaction of this reference is known on that network yet. Nothing was used up; try again shortly.',
  },
  payment_failed: { kind: 'bad_request', message: 'This transaction failed on chain and moved nothing. Pay again.' },
  payment_not_received: {
    kind: 'bad_request',
    message: 'This transaction brought no USDC to the marketplace. Check token and recipient.',
  },
  payment_underpaid: { kind: 'bad_request', message: 'This transfer is smaller than the price. It was not used up.' },
  payment_too_old: { kind: 'bad_request', message: 'This transfer is older than what it is meant to pay for.' },
  payment_not_final: {
    kind: 'bad_request',
    message: 'This transfer is not final enough for its amount yet. Nothing was used up; try again shortly.',
  },
  payment_wrong_payer: {
    kind: 'forbidden',
    message: 'This transfer did not come from a wallet that you may pay from. Nothing was used up.',
  },
  payment_from_marketplace: { kind: 'bad_request', message: 'A transfer of the marketplace itself pays for nothing.' },
  payment_not_passed_on: {
    kind: 'bad_request',
    message: 'Only signed transfers of USDC to the marketplace on that network are passed on. Nothing was sent.',
  },
  payer_unknown: { kind: 'unprocessable', message: 'The chain names nobody as the payer of this transfer, so it cannot be sent back.' },
  no_surplus: { kind: 'not_found', message: 'Nothing is owed to this payer as surplus on that network.' },
  payout_not_found: { kind: 'not_found', message: 'There is no such payout.' },
  payout_not_parked: { kind: 'conflict', message: 'Only a parked payout can be tried again; this one is in another state.' },
  payout_destination_invalid: { kind: 'unprocessable', message: 'This is not an address that can receive on the payout’s network.' },
  chain_unavailable: {
    kind: 'unavailable',
    message: 'The chain cannot be asked right now. Nothing was used up; try again shortly.',
  },
});

/** Reasons to refuse a transfer that a command names. */
export const paymentRefusals = [
  'invalid_payment_reference',
  'network_not_available',
  'payment_already_used',
  'payment_contest_over',
  'payment_not_found',
  'payment_failed',
  'payment_not_received',
  'payment_underpaid',
  'payment_too_old',
  'payment_not_final',
  'payment_wrong_payer',
  'payment_from_marketplace',
  'chain_unavailable',
] as const;
