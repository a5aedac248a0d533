/** A dispute opens with its clocks: until when both sides speak, and by when it is ruled. */
import type { Tx } from '../../platform/db/database.ts';
import { newId } from '../../platform/random.ts';
import { disputeClock } from './lifecycle/terms.ts';
import type { OrdersContext } from './orders-context.ts';
import { insertDispute, type OrderRow } from './repository.ts';

export async function openDispute(
  tx: Tx,
  { clock }: Pick<OrdersContext, 'clock'>,
  order: OrderRow,
  { openedBy, reason }: { readonly openedBy: 'buyer' | 'system'; readonly reason: string },
): Promise<void> {
  await insertDispute(tx, {
    id: newId('dsp', clock.now()),
    orderId: order.id,
    openedBy,
    reason,
    openedAt: order.now,
    ...disputeClock(order.now),
  });
}
