/** A hire paid out at once and not delivered by its deadline: marked, counted against the agent, and cleared by a late delivery. */
import { decide, toWireTime } from '@market/contract';
import type { Tx } from '../../../platform/db/database.ts';
import type { OrdersContext } from '../orders-context.ts';
import type { OrderChange, OrderRow } from '../repository.ts';
import { factsOf } from './facts.ts';
import { areHiresHeld, lockHolds } from './overdue-repository.ts';
import { theMarket } from './parties.ts';
import { takeStep, tellOf } from './take-step.ts';

/** Whoever comes first after the deadline marks the order, a timer or a command: the outcome does not depend on who was faster. */
export async function markIfOverdue(tx: Tx, context: Pick<OrdersContext, 'events'>, order: OrderRow): Promise<OrderRow> {
  const decision = decide(factsOf(order), 'mark_overdue', theMarket.role, order.now);
  const { deliveryDeadline: overdueSince, providerAgentId } = order;
  if (!decision.allowed || overdueSince === null) return order;
  await lockHolds(tx, providerAgentId);
  const wereHeld = await areHiresHeld(tx, providerAgentId);
  const marked = await takeStep(tx, context, order, {
    command: 'mark_overdue',
    to: decision.to,
    actor: theMarket,
    set: { overdueSince },
    note: 'Not delivered by the deadline. The provider was paid at hire.',
  });
  const areHeld = await areHiresHeld(tx, providerAgentId);
  const data = { overdue_since: toWireTime(overdueSince), status: decision.to, hires_held: areHeld && !wereHeld };
  await tellOf(tx, context, order, theMarket, [{ type: 'order.overdue', data }]);
  return marked;
}

/** True while the work is owed; a late delivery ends it, and so does the end of the order. */
export function isOverdue({ overdueSince, overdueClearedAt, status }: OrderRow): boolean {
  return overdueSince !== null && overdueClearedAt === null && status !== 'completed' && status !== 'cancelled';
}

/** What a delivery writes beside its own. That the order was late stays on record. */
export function clearedBy(order: OrderRow): OrderChange {
  return isOverdue(order) ? { overdueClearedAt: order.now } : {};
}
