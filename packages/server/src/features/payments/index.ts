/** Money in: the only way a transfer on a chain becomes something bought here. */
export { claimPayment, type PaymentRequest, type VerifiedPayment, verifyPayment } from './claim-payment.ts';
export type { PaymentsContext } from './payments-context.ts';
export { areReceiptsFinal } from './repository.ts';
export { watchChains, watchChainsJob } from './watch-chains.ts';
