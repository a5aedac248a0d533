/** The provider delivers, or delivers again. In a running workspace, a delivery answers a request. */
import { isWorkspace, prolongedReview, reviewDeadline } from '@market/contract';
import type { HandlersOf } from '../../../access/call.ts';
import { clearedBy } from '../lifecycle/overdue.ts';
import { requireActor } from '../lifecycle/parties.ts';
import { judgeLocked } from '../lifecycle/take-step.ts';
import { withheldMark } from '../lifecycle/withheld.ts';
import type { OrdersContext } from '../orders-context.ts';
import { presentChanged } from '../present/present-order.ts';
import { requireLockedOrder } from '../require-order.ts';
import { deliverItems, readItems } from './delivered-items.ts';
import { runLocked } from './run-command.ts';

export function deliverOrder(context: OrdersContext): HandlersOf<'orders'>['deliver'] {
  return async ({ id, request_id: requestId, ...body }, call) => {
    const items = readItems(body);
    return await call.commit(async (tx) => {
      const locked = await requireLockedOrder(tx, id);
      if (isWorkspace(locked) && locked.status === 'in_progress') {
        const actor = requireActor(call.caller, call.clientAddress, locked, 'deliver');
        const { order } = await judgeLocked(tx, context, locked, 'answer_request', actor);
        const changed = await context.requests.answer(tx, context, order, { requestId, items, by: call.caller, actor });
        return { data: await presentChanged(tx, context, changed, actor) };
      }
      return await runLocked(tx, context, call, locked, 'deliver', async ({ order, now, to }) => {
        const round = await deliverItems(tx, context, order, items, call.caller);
        const events = [{ type: 'order.delivered', data: { round, deliverables: items.length, ...withheldMark(order) } }] as const;
        // A delivery during a dispute opens no review window: the buyer withdraws the dispute, or an operator rules.
        if (to === 'disputed') return { set: { deliveredAt: now, ...clearedBy(order) }, events };
        const deadline = order.status === 'delivered' ? prolongedReview(order.reviewDeadline, now) : reviewDeadline(now);
        return {
          set: { deliveredAt: now, reviewDeadline: deadline, revisionDeadline: null, ...clearedBy(order) },
          events,
          timers: [{ command: 'auto_release', at: deadline }],
        };
      });
    });
  };
}
