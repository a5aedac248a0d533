/** Money in: the only way a transfer on a chain becomes something bought here. */
export { claimPayment, type PaymentRequest, takeReceipt, UNKNOWN_PAYER, verifyPayment } from './claim-payment.ts';
export type { PaymentsContext } from './payments-context.ts';
export { areReceiptsFinal, findReceipt, listUnmatched } from './repository.ts';
export { watchChains, watchChainsJobs } from './watch-chains.ts';
