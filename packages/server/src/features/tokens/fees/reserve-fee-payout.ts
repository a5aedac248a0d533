/** Reserves a payout from its share and its network fee from the float, and enqueues the job that sends it, in one transaction. */
import type { Chain } from '../../../platform/chains/chain.ts';
import { reachCrashPoint } from '../../../platform/crash-points.ts';
import type { Tx } from '../../../platform/db/database.ts';
import { enqueueJobs } from '../../../platform/jobs/job-repository.ts';
import { smaller } from '../../../platform/larger-and-smaller.ts';
import { lockBalance, post } from '../../ledger/index.ts';
import { feeInFlight, float, shareOf } from './fee-accounts.ts';
import { feePayoutJob } from './fee-payout-job.ts';
import { nextFeePayoutId } from './fee-payout-names.ts';
import { feeVaultName } from './fee-vault-name.ts';
import type { FeesContext } from './fees-context.ts';
import { type FeePayoutRow, insertFeePayout, readOwedTo } from './repository.ts';
import { settleFound } from './settle-found.ts';

/** Twice the usual price of a transfer with a memo; what is not needed goes back to the float. */
const RESERVE_LAMPORTS = 20_000n;

export type NewFeePayout = Pick<FeePayoutRow, 'share' | 'agentId' | 'mint' | 'recipientWallet' | 'createdBy'>;
export type Reserved =
  | { readonly kind: 'reserved'; readonly id: string; readonly lamports: bigint }
  /** The share holds, or the agent is owed, another amount than was requested. */
  | { readonly kind: 'refused'; readonly owed: bigint }
  | { readonly kind: 'no_float' };

type Context = Pick<FeesContext, 'events'> & { readonly feeVault: Chain };

/** `choose` picks the amount out of what is owed; undefined refuses. */
export async function reserveFeePayout(
  tx: Tx,
  context: Context,
  payout: NewFeePayout,
  choose: (owed: bigint) => bigint | undefined,
): Promise<Reserved> {
  const from = shareOf(payout);
  // Transfers that left before are no longer owed.
  await settleFound(tx, context, feeVaultName(context.feeVault), payout);
  // All code takes these locks in this order.
  const held = await lockBalance(tx, from);
  const spare = await lockBalance(tx, float);
  const owed = await limitToAgent(tx, payout, held);
  const lamports = choose(owed);
  if (lamports === undefined) return { kind: 'refused', owed };
  if (spare < RESERVE_LAMPORTS) return { kind: 'no_float' };
  // The share is locked, so no two payouts get one number.
  const id = await nextFeePayoutId(tx, payout);
  await insertReserved(tx, { ...payout, id, lamports });
  await enqueueJobs(tx, [feePayoutJob(id)]);
  reachCrashPoint('fee_payout.before_queue_commit');
  return { kind: 'reserved', id, lamports };
}

/** Limits an agent to its own part of a token that another agent has now, or had before. */
async function limitToAgent(tx: Tx, { share, agentId, mint }: NewFeePayout, held: bigint): Promise<bigint> {
  return share === 'agent' && agentId !== null && mint !== null ? smaller(held, await readOwedTo(tx, { agentId, mint })) : held;
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
