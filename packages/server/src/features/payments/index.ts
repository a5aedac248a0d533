/** Money in: the only way a transfer on a chain becomes something bought here. */
export {
  claimPayment,
  type PaymentRequest,
  refuseUsedPayment,
  takeReceipt,
  UNKNOWN_PAYER,
  type VerifiedPayment,
  verifyPayment,
} from './claim-payment.ts';
export { paymentHandlers } from './help-payers.ts';
export type { PaymentsContext } from './payments-context.ts';
export { areReceiptsFinal, findReceipt, isPaymentReverted, listUnmatched, readUnfinalMicros } from './repository.ts';
export { watchChains, watchChainsJobs } from './watch-chains.ts';
