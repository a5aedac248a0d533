/** Money out: payouts, refunds and withdrawals, each at most once. */
export { payoutJobs } from './payout-jobs.ts';
export type { PayoutsContext } from './payouts-context.ts';
export { queueAgentPayout } from './queue-agent-payout.ts';
export { queuePayout } from './queue-payout.ts';
export { listPayouts, listPayoutsOf, type PayoutRow, type ShownPayout } from './repository.ts';
export { retryParkedPayout } from './retry-payout.ts';
