/** Ends a reservation by what became of its payment. */
import { MarketError, type SpendingId } from '@market/contract';
import type { Tx } from '../../platform/db/database.ts';
import { findPurchase, isUndone } from './purchase-repository.ts';
import { keepSpending, lockSpending, releaseSpending, undoSpending } from './spending-repository.ts';

/**
 * `refused`: the call bought nothing for certain. `ended`: the call is over, its records say how. `abandoned`: no call works on it any more.
 */
export type SettledBy = 'refused' | 'ended' | 'unknown' | 'abandoned';

export async function settleSpending(tx: Tx, id: SpendingId, by: SettledBy): Promise<void> {
  const row = await lockSpending(tx, id);
  if (row?.status === 'kept' && (await isUndone(tx, id))) return await undoSpending(tx, id);
  // The job released the reservation while its call still ran.
  const isLate = row?.status === 'released' && row.boughtId === null && by === 'ended';
  if (row === undefined || (row.status !== 'reserved' && !isLate)) return;
  if (by === 'refused') return await releaseSpending(tx, id, { forGood: false });
  const purchase = await findPurchase(tx, row);
  if (purchase.state === 'open') return;
  if (purchase.state === 'bought') return void (await keepSpending(tx, row, purchase, { evenReleased: isLate }));
  if (by !== 'unknown') await releaseSpending(tx, id, { forGood: by === 'abandoned' });
}

/** A refusal of ours took nothing. After any other fault the records decide. */
export function settledBy(error: unknown): SettledBy {
  return error instanceof MarketError && error.status < 500 ? 'refused' : 'ended';
}
