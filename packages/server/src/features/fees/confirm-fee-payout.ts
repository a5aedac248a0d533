/** A payout of creator fees is confirmed together with its posting and its event. The network fee comes out of the reserve. */
import { reachCrashPoint } from '../../platform/crash-points.ts';
import type { Tx } from '../../platform/db/database.ts';
import { post } from '../ledger/index.ts';
import { feeInFlight, float, vault } from './fee-accounts.ts';
import type { FeesContext } from './fees-context.ts';
import { type FeePayoutRow, insertFeeAttempt, latestFeeAttempt, moveFeeAttempt, moveFeePayout } from './repository.ts';

const NO_BYTES = { bytes: Buffer.from('found on chain').toString('base64'), validity: '0' };

/** The chain shows that it was paid, and these books never signed it. */
export async function confirmFound(
  tx: Tx,
  context: Pick<FeesContext, 'events'>,
  payout: FeePayoutRow,
  reference: string,
  fee: bigint,
): Promise<void> {
  const number = ((await latestFeeAttempt(tx, payout.id))?.number ?? 0) + 1;
  await insertFeeAttempt(tx, payout.id, number, { reference, ...NO_BYTES });
  await moveFeeAttempt(tx, { payoutId: payout.id, number }, 'confirmed');
  await recordPaid(tx, context, payout, ['queued'], { reference, fee });
}

/** Paid: the books, and the event for the agent. */
export async function recordPaid(
  tx: Tx,
  { events }: Pick<FeesContext, 'events'>,
  payout: FeePayoutRow,
  from: readonly FeePayoutRow['state'][],
  { reference, fee }: { readonly reference: string; readonly fee: bigint },
): Promise<void> {
  const { id, lamports, feeReserveLamports: reserve } = payout;
  const paid = { state: 'confirmed', reason: null, reference, networkFeeLamports: fee, paid: true } as const;
  if (!(await moveFeePayout(tx, id, from, paid))) return;
  await post(tx, {
    kind: 'creator_fee_paid',
    subjectId: id,
    idempotencyKey: `creator-fee-paid:${id}`,
    entries: [
      { account: feeInFlight(id), micros: -(lamports + reserve) },
      { account: vault, micros: lamports + fee },
      { account: float, micros: reserve - fee },
    ],
  });
  const data = { payout_id: id, mint: payout.mint, reference, lamports: String(lamports), recipient_wallet: payout.recipientWallet };
  reachCrashPoint('fee_payout.before_confirm_commit');
  if (payout.agentId !== null)
    await events.append(tx, [{ type: 'agent.creator_fee_paid', subjectId: payout.agentId, agentId: payout.agentId, data }]);
}
