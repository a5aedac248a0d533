/** Money in: the only way a transfer on a chain becomes something bought here. */
export { bookReceipt } from './book-receipt.ts';
export {
  claimPayment,
  contestedUntil,
  type NewPayment,
  type PaymentRequest,
  provesPayer,
  readReceipt,
  refuseCopied,
  refuseUsedPayment,
  takeReceipt,
  type VerifiedPayment,
  verifyPayment,
} from './claim-payment.ts';
export { endContest, extendContests, isContestable } from './contest-window-repository.ts';
export { paymentHandlers } from './help-payers.ts';
export { wrongPayer } from './how-to-prove.ts';
export { UNKNOWN_PAYER } from './judge-payment.ts';
export { proveClaim } from './move-claim.ts';
export {
  depositIdOf,
  intentIdOf,
  namesOfDeploys,
  namesOfSurplus,
  type PaidBy,
  payerOfSurplus,
  payoutIdFor,
  surplusSubjectOf,
} from './outgoing-names.ts';
export { networkOfReference, paymentDetails } from './payment-details.ts';
export type { ClaimHolder, ClaimHolders, PaymentsContext, Shown } from './payments-context.ts';
export { surplusOf } from './present.ts';
export { endPresentation, noteStoredAnswer } from './presentations-repository.ts';
export { createReference, namesPurchase, type PurchaseReference } from './purchase-reference.ts';
export {
  areReceiptsFinal,
  type ClaimRow,
  findClaim,
  findReceipt,
  findUnprovenClaim,
  isPaymentReverted,
  listRecentMovements,
  listUnmatched,
  readUnfinalMicros,
  type TransferKey,
} from './repository.ts';
export { describeLeft, findSpentBefore, findSurplusSpentBefore, refuseSpentBefore } from './spent-before.ts';
export { listReferencesOf } from './unbooked-repository.ts';
export { createWaitingRoom } from './waiting-room.ts';
export { bookArrivals, watchChains, watchChainsJobs } from './watch-chains.ts';
export {
  asPresenter,
  isNamed,
  isPresenterUnproven,
  maySpendFrom,
  type Presenter,
  requireVoucher,
  type Spending,
  signedPurchase,
} from './who-may-spend.ts';
