/** Whether the transfer to the provider has failed by now. The event `order.payout_failed` reports a later failure. */
import type { Tx } from '../../../platform/db/database.ts';
import { listPayoutsOf } from '../../payouts/index.ts';
import type { OrderRow } from '../repository.ts';

export async function hasPayoutFailed(tx: Tx, order: Pick<OrderRow, 'id' | 'settled'>): Promise<boolean> {
  if (!order.settled) return false;
  return (await listPayoutsOf(tx, [order.id])).some(({ purpose, state }) => purpose === 'payout' && state === 'parked');
}
