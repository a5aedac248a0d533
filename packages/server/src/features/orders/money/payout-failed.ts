/** Whether the transfer to the provider has failed by now. A later failure is told by `order.payout_failed`. */
import type { Tx } from '../../../platform/db/database.ts';
import { listPayoutsOf } from '../../payouts/index.ts';
import type { OrderRow } from '../repository.ts';

export async function hasPayoutFailed(tx: Tx, order: Pick<OrderRow, 'id' | 'settled'>): Promise<boolean> {
  if (!order.settled) return false;
  return (await listPayoutsOf(tx, [order.id])).some(({ purpose, state }) => purpose === 'payout' && state === 'parked');
}
