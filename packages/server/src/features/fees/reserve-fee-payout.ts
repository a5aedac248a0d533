/** Takes a payout out of its share, with the network fee out of the float, and hands it to the job that sends it. In one transaction. */
import { reachCrashPoint } from '../../platform/crash-points.ts';
import type { Tx } from '../../platform/db/database.ts';
import { nameIntent } from '../../platform/intent-name.ts';
import { enqueueJobs } from '../../platform/jobs/job-repository.ts';
import { lockBalance, post } from '../ledger/index.ts';
import { feeInFlight, float, shareOf } from './fee-accounts.ts';
import { feePayoutJob } from './fee-payout-job.ts';
import { countFeePayouts, type FeePayoutRow, findFeePayout, insertFeePayout } from './repository.ts';

/** Twice the usual price of a transfer with a memo; what is not needed goes back to the float. */
const RESERVE_LAMPORTS = 20_000n;

export type NewFeePayout = Pick<FeePayoutRow, 'share' | 'agentId' | 'mint' | 'recipientWallet' | 'createdBy'>;
export type Reserved =
  | { readonly kind: 'reserved'; readonly id: string; readonly lamports: bigint }
  /** The share holds something else than was asked for. */
  | { readonly kind: 'refused'; readonly owed: bigint }
  | { readonly kind: 'no_float' };

/** `choose` says how much of what the share holds; undefined: not this. */
export async function reserveFeePayout(tx: Tx, payout: NewFeePayout, choose: (owed: bigint) => bigint | undefined): Promise<Reserved> {
  const from = shareOf(payout);
  // One order of locks for everybody.
  const owed = await lockBalance(tx, from);
  const spare = await lockBalance(tx, float);
  const lamports = choose(owed);
  if (lamports === undefined) return { kind: 'refused', owed };
  if (spare < RESERVE_LAMPORTS) return { kind: 'no_float' };
  // The share is locked, so no two payouts get one number.
  const id = feePayoutIdOf(payout, await countFeePayouts(tx, payout));
  await insertReserved(tx, { ...payout, id, lamports });
  await enqueueJobs(tx, [feePayoutJob(id)]);
  reachCrashPoint('fee_payout.before_queue_commit');
  return { kind: 'reserved', id, lamports };
}

/** A payout that the chain shows and the books lost. It is confirmed in the same transaction. Undefined when its share holds too little. */
export async function reserveNamed(
  tx: Tx,
  payout: NewFeePayout & { readonly id: string; readonly lamports: bigint },
): Promise<FeePayoutRow | undefined> {
  const owed = await lockBalance(tx, shareOf(payout));
  const spare = await lockBalance(tx, float);
  if (owed < payout.lamports || spare < RESERVE_LAMPORTS) return undefined;
  await insertReserved(tx, payout);
  return await findFeePayout(tx, payout.id);
}

async function insertReserved(tx: Tx, payout: NewFeePayout & { readonly id: string; readonly lamports: bigint }): Promise<void> {
  const { id, lamports } = payout;
  await insertFeePayout(tx, { ...payout, feeReserveLamports: RESERVE_LAMPORTS });
  await post(tx, {
    kind: 'creator_fee_reserved',
    subjectId: id,
    idempotencyKey: `creator-fee-reserve:${id}`,
    entries: [
      { account: shareOf(payout), micros: -lamports },
      { account: float, micros: -RESERVE_LAMPORTS },
      { account: feeInFlight(id), micros: lamports + RESERVE_LAMPORTS },
    ],
  });
}

/** Of the payout that follows `earlier` ones of this share. */
export function feePayoutIdOf({ share, mint }: Pick<FeePayoutRow, 'share' | 'mint'>, earlier: number): string {
  return nameIntent('payout', `creator fees ${share} ${mint ?? ''} ${earlier}`);
}
