/** The provider gives the money back and ends the order. */
import type { HandlersOf } from '../../../access/call.ts';
import type { OrdersContext } from '../orders-context.ts';
import { runCommand } from './run-command.ts';

export function refundOrder(context: OrdersContext): HandlersOf<'orders'>['refund'] {
  return async ({ id, reason }, call) =>
    await runCommand(context, call, id, 'refund', async ({ tx, order, now }) => {
      if (order.status === 'disputed') await context.disputes.closeRefunded(tx, order.id);
      const failed = await context.requests.failOpen(tx, order, 'The order was cancelled.');
      return {
        set: { quotaUsed: order.quotaUsed - failed, cancelledAt: now },
        note: reason,
        events: [{ type: 'order.cancelled', data: { previous_status: order.status } }],
      };
    });
}
