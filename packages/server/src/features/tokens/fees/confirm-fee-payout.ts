/** A payout of creator fees is confirmed together with its posting and its event. The network fee comes out of the reserve. */
import type { Tx } from '../../../platform/db/database.ts';
import { post } from '../../ledger/index.ts';
import { openStates } from '../../outgoing/index.ts';
import { feeInFlight, float, vault } from './fee-accounts.ts';
import type { FeesContext } from './fees-context.ts';
import { type FeePayoutRow, moveFeePayout } from './repository.ts';

/** Books a payout as paid, with the event for the agent. False: another process ended it. */
export async function recordPaid(
  tx: Tx,
  context: Pick<FeesContext, 'events'>,
  payout: FeePayoutRow,
  { reference, fee }: { readonly reference: string; readonly fee: bigint },
): Promise<boolean> {
  const { id, lamports, feeReserveLamports: reserve } = payout;
  const confirmed = { state: 'confirmed', reason: null, reference } as const;
  if (!(await moveFeePayout(tx, id, openStates, confirmed, { networkFeeLamports: fee }))) return false;
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
  await announcePaid(tx, context, payout, reference);
  return true;
}

export async function announcePaid(
  tx: Tx,
  { events }: Pick<FeesContext, 'events'>,
  { id, mint, agentId, lamports, recipientWallet }: FeePayoutRow,
  reference: string,
): Promise<void> {
  if (agentId === null) return;
  const data = { payout_id: id, mint, reference, lamports: String(lamports), recipient_wallet: recipientWallet };
  await events.append(tx, [{ type: 'agent.creator_fee_paid', subjectId: agentId, agentId, data }]);
}
