/** Decides that money shall leave: the intent, its reservation in the books and the job that carries it out, in one transaction. */
import type { NetworkName } from '@market/contract';
import { reachCrashPoint } from '../../platform/crash-points.ts';
import type { Tx } from '../../platform/db/database.ts';
import { enqueueJobs } from '../../platform/jobs/job-repository.ts';
import { newId } from '../../platform/random.ts';
import { inFlight, type LedgerAccount, post } from '../ledger/index.ts';
import type { PayoutsContext } from './payouts-context.ts';
import { findPayoutFor, insertPayout, type PayoutRow } from './repository.ts';

export interface PayoutRequest {
  readonly purpose: PayoutRow['purpose'];
  /** What is paid for. One purpose pays for one subject once. */
  readonly subjectId: string;
  readonly network: NetworkName;
  readonly destination: string;
  readonly amountMicros: bigint;
  /** The account that owes it. */
  readonly from: LedgerAccount;
}

/** Asking twice for the same purpose and subject gives the same payout. */
export async function queuePayout(tx: Tx, { clock }: Pick<PayoutsContext, 'clock'>, request: PayoutRequest): Promise<PayoutRow> {
  const { from, ...intent } = request;
  const payout = await insertPayout(tx, { id: newId('pay', clock.now()), ...intent });
  if (payout === undefined) {
    const existing = await findPayoutFor(tx, request.purpose, request.subjectId);
    if (existing === undefined) throw new Error(`the payout of ${request.purpose} ${request.subjectId} vanished`);
    return existing;
  }
  reachCrashPoint('queue.after_insert');
  await post(tx, {
    kind: 'payout_reserved',
    subjectId: request.subjectId,
    idempotencyKey: `reserve:${payout.id}`,
    entries: [
      { account: from, micros: -request.amountMicros },
      { account: inFlight(request.network, payout.id), micros: request.amountMicros },
    ],
  });
  reachCrashPoint('queue.after_reserve');
  await enqueueJobs(tx, [advanceJob(payout.id)]);
  reachCrashPoint('queue.before_commit');
  return payout;
}

export const ADVANCE_PAYOUT = 'payout.advance';
export const PAYOUT_QUEUE = 'payouts';

export function advanceJob(payoutId: string, runAt?: Date) {
  return {
    kind: ADVANCE_PAYOUT,
    queue: PAYOUT_QUEUE,
    payload: { payout_id: payoutId },
    uniqueKey: `${ADVANCE_PAYOUT}:${payoutId}`,
    ...(runAt !== undefined && { runAt }),
  };
}
