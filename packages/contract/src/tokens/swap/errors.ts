import { defineErrors } from '../../kernel/errors.ts';

export const swapErrors = defineErrors({
  swap_unavailable: { kind: 'unavailable', message: 'This service swaps nothing: it has no venue.' },
  swap_venue_failed: { kind: 'bad_gateway', message: 'The swap venue did not answer as it should. Nothing was swapped; try again.' },
  swap_slippage: { kind: 'bad_gateway', message: 'The venue offers a worse price than this service accepts. Try again, or swap less.' },
  swap_too_small: {
    kind: 'bad_request',
    message: 'The receiver has no SOL yet, and this would be less than a wallet must hold. Swap more.',
  },
  swap_not_found: { kind: 'not_found', message: 'There is no swap of this request_id. Ask for a quote first.' },
  swap_expired: { kind: 'bad_request', message: 'This quote has expired. Ask for a new one.' },
  swap_price_moved: { kind: 'conflict', message: 'The price moved since the quote. Nothing was swapped; ask for a new one.' },
  swap_not_as_quoted: {
    kind: 'bad_request',
    message: 'signed_transaction is not the quoted transaction with the signature of its taker.',
  },
});
