/** Marks a hire that was paid out at once and not delivered by its deadline. It counts against the agent until delivered. */
import { decide, toWireTime } from '@market/contract';
import type { Tx } from '../../../platform/db/database.ts';
import type { OrdersContext } from '../orders-context.ts';
import type { OrderRow } from '../repository.ts';
import { appendOrderEvents } from './append-order-events.ts';
import { factsOf } from './facts.ts';
import { areHiresHeld, lockHolds } from './overdue-repository.ts';
import { systemActor } from './parties.ts';
import type { OrderChange } from './step-repository.ts';
import { takeStep } from './take-step.ts';

/** A timer or a command marks the order, whichever comes first after the deadline. */
export async function markIfOverdue(tx: Tx, context: OrdersContext, order: OrderRow): Promise<OrderRow> {
  const decision = decide(factsOf(order), 'mark_overdue', systemActor.role, order.now);
  const { deliveryDeadline: overdueSince, providerAgentId } = order;
  if (!decision.allowed || overdueSince === null) return order;
  await lockHolds(tx, providerAgentId);
  const wereHeld = await areHiresHeld(tx, providerAgentId);
  const marked = await takeStep(tx, context, order, {
    command: 'mark_overdue',
    to: decision.to,
    actor: systemActor,
    set: { overdueSince },
    note: 'Not delivered by the deadline. The provider was paid at hire.',
  });
  const areHeld = await areHiresHeld(tx, providerAgentId);
  const data = { overdue_since: toWireTime(overdueSince), status: decision.to, hires_held: areHeld && !wereHeld };
  await appendOrderEvents(tx, context, order, systemActor, [{ type: 'order.overdue', data }]);
  return marked;
}

/** True while the work is owed. A late delivery or the end of the order ends it. */
export function isOverdue({ overdueSince, overdueClearedAt, status }: OrderRow): boolean {
  return overdueSince !== null && overdueClearedAt === null && status !== 'completed' && status !== 'cancelled';
}

/** The columns that a late delivery sets. The record that the order was late stays. */
export function clearedBy(order: OrderRow): OrderChange {
  return isOverdue(order) ? { overdueClearedAt: order.now } : {};
}
