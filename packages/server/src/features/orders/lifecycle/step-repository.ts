/** Writes orders and their steps. Only `take-step.ts` calls it; `npm run check:static` holds that. */
import type { OrderId, OrderStatus } from '@market/contract';
import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import type { Tx } from '../../../platform/db/database.ts';
import type { OrderStepsTable, OrdersTable } from '../../../platform/db/schema.generated.ts';

export type NewOrder = Insertable<OrdersTable>;
export type OrderChange = Omit<Updateable<OrdersTable>, 'status'>;

export async function insertOrderRow(tx: Tx, order: NewOrder): Promise<void> {
  await tx.insertInto('orders').values(order).execute();
}

/** Compare-and-set: throws when the order has left `from`, which its lock makes impossible. */
export async function updateOrderRow(
  tx: Tx,
  id: OrderId,
  { from, to }: { readonly from: OrderStatus; readonly to: OrderStatus },
  change: OrderChange,
): Promise<Selectable<OrdersTable>> {
  const row = await tx
    .updateTable('orders')
    .set({ ...change, status: to, updatedAt: sql`market_now()` })
    .where('id', '=', id)
    .where('status', '=', from)
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) throw new Error(`order ${id} left ${from} while it was locked`);
  return row;
}

export async function insertStepRow(tx: Tx, step: Omit<Insertable<OrderStepsTable>, 'number'>): Promise<void> {
  await tx
    .insertInto('orderSteps')
    .values({
      ...step,
      number: sql<number>`(select coalesce(max(number), 0) + 1 from order_steps where order_id = ${step.orderId})`,
    })
    .execute();
}
