/** An order paid by a bare transfer, until its payer is proven or the time to contest is over. */
import type { Tx } from '../../../platform/db/database.ts';
import { enqueueJobs } from '../../../platform/jobs/job-repository.ts';
import { findBareClaim, proveClaim, type Shown } from '../../payments/index.ts';
import type { OrdersContext } from '../orders-context.ts';
import type { OrderRow } from '../repository.ts';
import { requireLockedOrder } from '../require-order.ts';
import { timerJob } from './timer-job.ts';

export type ContestableOrder = OrderRow & { readonly contestableUntil: Date };

/** While this holds, nothing is paid out. */
export function isContestable(order: OrderRow): order is ContestableOrder {
  return order.contestableUntil !== null && order.contestableUntil.getTime() > order.now.getTime();
}

/** The paying wallet acts on the order, which confirms it and ends what a first presenter got. Callers check `Actor.isPayer` first. */
export async function provePayer(tx: Tx, context: OrdersContext, order: OrderRow, shown: Shown): Promise<OrderRow> {
  const { paymentNetwork } = order;
  // Only machines pay by bare transfer.
  if (order.kind !== 'machine' || paymentNetwork === null) return order;
  const claim = await findBareClaim(tx, order.id);
  if (claim === undefined) return order;
  await proveClaim(tx, context, claim, paymentNetwork, shown);
  return await requireLockedOrder(tx, order.id);
}

/** A provider who waits to be paid at hire is paid now. */
export async function payoutNow(tx: Tx, order: OrderRow): Promise<void> {
  if (order.settlement === 'instant' && !order.settled) await enqueueJobs(tx, [timerJob(order.id, { command: 'pay_at_hire' })]);
}
