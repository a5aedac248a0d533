import { defineErrors } from '../kernel/errors.ts';

export const paymentErrors = defineErrors({
  invalid_payment_reference: {
    kind: 'bad_request',
    message: 'This is not a transaction reference of that network: a base58 signature on Solana, 0x and 64 hex characters on EVM networks.',
  },
  network_not_available: { kind: 'bad_request', message: 'This service takes no payments on that network.' },
  payment_already_used: { kind: 'conflict', message: 'This transfer has been used already. One transfer pays for one thing.' },
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
  payment_wrong_payer: { kind: 'forbidden', message: 'This transfer did not come from a wallet of yours.' },
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
