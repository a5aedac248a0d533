/** Ends a payout that does not leave: its money is owed again. */
import type { Tx } from '../../../platform/db/database.ts';
import { post } from '../../ledger/index.ts';
import { feeInFlight, float, shareOf } from './fee-accounts.ts';
import { type FeePayoutRow, moveFeePayout } from './repository.ts';

/** False when it is no longer in one of `from`. */
export async function giveBack(tx: Tx, payout: FeePayoutRow, from: readonly FeePayoutRow['state'][], reason: string): Promise<boolean> {
  if (!(await moveFeePayout(tx, payout.id, from, { state: 'failed', reason }))) return false;
  const { id, lamports, feeReserveLamports: reserve } = payout;
  await post(tx, {
    kind: 'creator_fee_returned',
    subjectId: id,
    idempotencyKey: `creator-fee-returned:${id}`,
    entries: [
      { account: feeInFlight(id), micros: -(lamports + reserve) },
      { account: shareOf(payout), micros: lamports },
      { account: float, micros: reserve },
    ],
  });
  return true;
}
