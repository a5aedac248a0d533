/** Money out: payouts, refunds and withdrawals, each at most once. */
export { payoutIdFor } from '../payments/index.ts';

export { treasuryTurn } from './advance-payout.ts';
export { payoutJobs } from './payout-jobs.ts';
export { createLocalPayoutSigner, type PayoutSigner } from './payout-signer.ts';
export type { PayoutsContext, TreasuryBooks } from './payouts-context.ts';
export { queueAgentPayout } from './queue-agent-payout.ts';
export { queueFirstPayout, queuePayout } from './queue-payout.ts';
export { readdressPayouts } from './readdress-payouts.ts';
export { findPayoutFor, listPayouts, listPayoutsOf, type PayoutRow, type ShownPayout, selectPayoutsOf } from './repository.ts';
export { requirePayableDestination } from './require-payable.ts';
export { requireRetryable, retryParkedPayout } from './retry-payout.ts';
export { planRoute } from './route-payout.ts';
export { findUnbookedDestination, readPayoutGauges, readStoredIntent } from './sending-repository.ts';
export { treasuryHolder } from './treasury-holder.ts';
