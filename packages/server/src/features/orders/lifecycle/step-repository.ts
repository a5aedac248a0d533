/** Writes orders and their steps. Only `take-step.ts` calls it; `npm run check:static` holds that. */
import type { OrderId, OrderStatus } from '@market/contract';
import { type Expression, type Insertable, sql, type Updateable } from 'kysely';
import { defer, type Tx } from '../../../platform/db/database.ts';
import { deferred } from '../../../platform/db/pipelined-driver.ts';
import type { OrderStepsTable, OrdersTable } from '../../../platform/db/schema.generated.ts';

/** Whether both sides are the same people may be found out by the statement itself. */
export type NewOrder = Omit<Insertable<OrdersTable>, 'relatedParty'> & { readonly relatedParty: boolean | Expression<boolean> };
export type OrderChange = Omit<Updateable<OrdersTable>, 'status'>;

export async function insertOrderRow(tx: Tx, order: NewOrder): Promise<void> {
  await defer(tx, tx.insertInto('orders').values(order));
}

/** Compare-and-set: the transaction fails when the order has left `from`, which its lock makes impossible. */
export async function updateOrderRow(
  tx: Tx,
  id: OrderId,
  { from, to, at }: { readonly from: OrderStatus; readonly to: OrderStatus; readonly at: Date },
  change: OrderChange,
): Promise<void> {
  const query = tx
    .updateTable('orders')
    .set({ ...change, status: to, updatedAt: at })
    .where('id', '=', id)
    .where('status', '=', from);
  const { sql: update, parameters } = query.compile();
  // The database itself refuses when nothing was changed: a deferred statement may go out with the commit.
  await tx.executeQuery(deferred(`with changed as (${update} returning 1) select 1 / count(*) as changed from changed`, parameters));
}

export async function insertStepRow(tx: Tx, step: Omit<Insertable<OrderStepsTable>, 'number'>): Promise<void> {
  const number = sql<number>`(select coalesce(max(number), 0) + 1 from order_steps where order_id = ${step.orderId})`;
  await defer(tx, tx.insertInto('orderSteps').values({ ...step, number }));
}
