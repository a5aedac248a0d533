/** A workspace whose time or quota is used up counts as delivered: its review window opens. */
import { isWorkspaceOver, reviewDeadline } from '@market/contract';
import type { Tx } from '../../../platform/db/database.ts';
import type { OrdersContext } from '../orders-context.ts';
import type { OrderRow } from '../repository.ts';
import { factsOf } from './facts.ts';
import { systemActor } from './parties.ts';
import { requireAllowed, takeStep } from './take-step.ts';
import { withheldMark } from './withheld.ts';

/** The order must be locked. Returns it unchanged while the workspace runs. */
export async function finishWorkspaceIfOver(tx: Tx, context: OrdersContext, order: OrderRow): Promise<OrderRow> {
  if (order.status !== 'in_progress' || !isWorkspaceOver(factsOf(order), order.now)) return order;
  const to = requireAllowed(order, 'finish_workspace', systemActor);
  const failed = await context.requests.failOpen(tx, order, 'The workspace ended before the agent answered.');
  const quotaUsed = order.quotaUsed - failed;
  const deadline = reviewDeadline(order.now);
  return await takeStep(tx, context, order, {
    command: 'finish_workspace',
    to,
    actor: systemActor,
    set: { quotaUsed, deliveredAt: order.now, reviewDeadline: deadline },
    events: [{ type: 'order.delivered', data: { round: order.lastRound, deliverables: quotaUsed, ...withheldMark(order) } }],
    timers: [{ command: 'auto_release', at: deadline }],
  });
}
