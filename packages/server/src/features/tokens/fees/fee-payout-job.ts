/** The job that advances a payout of creator fees. */
import { type StepKind, stepJob } from '../../outgoing/index.ts';

export const paying: StepKind = { kind: 'creator_fees.pay', queue: 'creator-fees', field: 'payout_id' };

export const feePayoutJob = (payoutId: string) => stepJob(paying, payoutId);
