/** Queues a payout: its intent, its reservation in the books and its job, in one transaction. */
import type { NetworkName } from '@market/contract';
import { reachCrashPoint } from '../../platform/crash-points.ts';
import type { Tx } from '../../platform/db/database.ts';
import { enqueueJobs } from '../../platform/jobs/job-repository.ts';
import { inFlight, interchain, type LedgerAccount, type Posting, postLast } from '../ledger/index.ts';
import { type StepKind, stepJob } from '../outgoing/index.ts';
import { namesOfDeploys, namesOfSurplus, type PaidBy, payerOfSurplus, payoutIdFor } from '../payments/index.ts';
import { findPayoutFor, insertFirstPayout, insertPayout, type PayoutRow } from './repository.ts';

export interface PayoutRequest {
  readonly purpose: PayoutRow['purpose'];
  /** The subject of the payout. Each purpose pays a subject once. */
  readonly subjectId: string;
  /** The transfer that paid for the subject. It stays the same after a restore, while the subject may get another id. */
  readonly paidBy?: PaidBy;
  readonly network: NetworkName;
  readonly destination: string;
  readonly amountMicros: bigint;
  /** The account that owes it; when it is on another network, the marketplace's own money on `network` must cover the payout. */
  readonly from: LedgerAccount;
}

/** Asking twice for the same purpose and subject gives the same payout. */
export async function queuePayout(tx: Tx, request: PayoutRequest): Promise<PayoutRow> {
  const { from, paidBy: _paidBy, ...intent } = request;
  const payout = await insertPayout(tx, { id: payoutIdFor(request), ...intent });
  if (payout === undefined) {
    const existing = await findPayoutFor(tx, request.purpose, request.subjectId);
    if (existing === undefined) throw new Error(`the payout of ${request.purpose} ${request.subjectId} vanished`);
    return existing;
  }
  await reserve(tx, payout.id, request);
  return payout;
}

/** As `queuePayout`, but only for the first payout of its subject: a second one fails the transaction. Costs no round trip. */
export async function queueFirstPayout(tx: Tx, request: PayoutRequest): Promise<void> {
  const { from, paidBy: _paidBy, ...intent } = request;
  const id = payoutIdFor(request);
  await insertFirstPayout(tx, { id, ...intent });
  await reserve(tx, id, request);
}

async function reserve(tx: Tx, id: string, request: PayoutRequest): Promise<void> {
  reachCrashPoint('queue.after_insert');
  postLast(tx, {
    kind: 'payout_reserved',
    subjectId: request.subjectId,
    idempotencyKey: `reserve:${id}`,
    entries: reservation(id, request),
  });
  reachCrashPoint('queue.after_reserve');
  await enqueueJobs(tx, [advanceJob(id)]);
  reachCrashPoint('queue.before_commit');
}

/** The other names under which lost books may have sent the same money. `references` are all transfers of the payer of a surplus. */
export function otherNamesOf(
  { purpose, subjectId, network }: Pick<PayoutRow, 'purpose' | 'subjectId' | 'network'>,
  paidBy: PaidBy | undefined,
  references: readonly string[],
): string[] {
  if (purpose === 'surplus') return namesOfSurplus(network, payerOfSurplus(subjectId), references);
  // A deposit that went to its venue is not refunded.
  if (purpose === 'earn_refund') return namesOfDeploys(subjectId);
  if (paidBy === undefined || (purpose !== 'payout' && purpose !== 'refund')) return [];
  // A transfer is either refunded or paid out.
  const other = purpose === 'payout' ? 'refund' : 'payout';
  // Before migration 0065 the subject alone named the payout.
  return [
    payoutIdFor({ purpose, subjectId }),
    payoutIdFor({ purpose: other, subjectId, paidBy }),
    payoutIdFor({ purpose: other, subjectId }),
  ];
}

/**
 * For a payout on another network than the money came in on: that network lends the amount, and the first one keeps it. Each network
 * balances by itself.
 */
function reservation(id: string, { network, amountMicros, from }: PayoutRequest): Posting['entries'] {
  const owed = { account: from, micros: -amountMicros };
  const reserved = { account: inFlight(network, id), micros: amountMicros };
  if (from.network === network) return [owed, reserved];
  const kept = { account: interchain(from.network), micros: amountMicros };
  const lent = { account: interchain(network), micros: -amountMicros };
  return [owed, kept, lent, reserved];
}

export const advancing: StepKind = { kind: 'payout.advance', queue: 'payouts', field: 'payout_id' };

export const advanceJob = (payoutId: string) => stepJob(advancing, payoutId);
