/** The provider delivers, or delivers again. Into a running workspace a delivery answers a request. */
import { isWorkspace, prolongedReview, reviewDeadline } from '@market/contract';
import type { HandlersOf } from '../../../access/call.ts';
import { clearedBy } from '../lifecycle/overdue.ts';
import { lockForCommand } from '../lifecycle/take-step.ts';
import type { OrdersContext } from '../orders-context.ts';
import { presentOrder } from '../present/present-order.ts';
import { deliverItems, readItems } from './delivered-items.ts';
import { findForCommand, runCommand } from './run-command.ts';

export function deliverOrder(context: OrdersContext): HandlersOf<'orders'>['deliver'] {
  return async ({ id, request_id: requestId, ...body }, call) => {
    const items = readItems(body);
    const { order: seen, actor } = await findForCommand(context, call, id, 'deliver');
    if (isWorkspace(seen) && seen.status === 'in_progress') {
      return await call.commit(async (tx) => {
        const { order } = await lockForCommand(tx, id, 'answer_request', actor);
        const changed = await context.requests.answer(tx, context, order, { requestId, items, by: call.caller, actor });
        return { data: await presentOrder(tx, context, changed, actor.role) };
      });
    }
    return await runCommand(context, call, id, 'deliver', async ({ tx, order, now, to }) => {
      const round = await deliverItems(tx, context, order, items, call.caller);
      const events = [{ type: 'order.delivered', data: { round, deliverables: items.length } }] as const;
      // During a dispute no review window begins: the buyer withdraws it, or an operator rules.
      if (to === 'disputed') return { set: { deliveredAt: now, ...clearedBy(order) }, events };
      const deadline = order.status === 'delivered' ? prolongedReview(order.reviewDeadline, now) : reviewDeadline(now);
      return {
        set: { deliveredAt: now, reviewDeadline: deadline, revisionDeadline: null, ...clearedBy(order) },
        events,
        timers: [{ command: 'auto_release', at: deadline }],
      };
    });
  };
}
