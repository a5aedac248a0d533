/** An order paid by a bare transfer, until its payer is proven or the time to contest is over. */
import type { Tx } from '../../../platform/db/database.ts';
import { enqueueJobs } from '../../../platform/jobs/job-repository.ts';
import { findContestable, markProven } from '../../payments/index.ts';
import type { OrderRow } from '../repository.ts';
import { timerJob } from './timer-job.ts';

export type ContestableOrder = OrderRow & { readonly contestableUntil: Date };

/** While this holds, nothing is paid out. */
export function isContestable(order: OrderRow): order is ContestableOrder {
  return order.contestableUntil !== null && order.contestableUntil.getTime() > order.now.getTime();
}

/** The paying wallet acts on the order, which confirms it. Callers check `Actor.isPayer` first. */
export async function provePayer(tx: Tx, order: OrderRow): Promise<OrderRow> {
  const claim = order.contestableUntil === null ? undefined : await findContestable(tx, order.id);
  if (claim === undefined) return order;
  await markProven(tx, claim);
  await payoutNow(tx, order);
  return { ...order, contestableUntil: null };
}

/** A provider who waits to be paid at hire is paid now. */
export async function payoutNow(tx: Tx, order: OrderRow): Promise<void> {
  if (order.settlement === 'instant') await enqueueJobs(tx, [timerJob(order.id, { command: 'pay_at_hire' })]);
}
