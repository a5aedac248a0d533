/** The order ends without a result: the buyer cancels before work has begun, or the provider gives the money back. */
import type { HandlersOf } from '../../../access/call.ts';
import { recordAdminAction } from '../../moderation/index.ts';
import { refundEscrow } from '../money/move-money.ts';
import type { OrdersContext } from '../orders-context.ts';
import { closeOpenDispute } from '../repository.ts';
import { failOpenRequests } from '../requests.ts';
import { runCommand } from './run-command.ts';

export function callOffCommands(context: OrdersContext): Pick<HandlersOf<'orders'>, 'cancel' | 'refund'> {
  return {
    async cancel({ id, reason }, call) {
      return await runCommand(context, call, id, 'cancel', async ({ tx, order, now, actor }) => {
        if (actor.role === 'admin') {
          await recordAdminAction(tx, call.caller, { action: 'order.cancel', subjectId: order.id, reason: reason ?? null, details: {} });
        }
        await refundEscrow(tx, context, order);
        return {
          set: { cancelledAt: now },
          note: reason,
          events: [{ type: 'order.cancelled', data: { previous_status: order.status } }],
        };
      });
    },

    async refund({ id, reason }, call) {
      return await runCommand(context, call, id, 'refund', async ({ tx, order, now }) => {
        if (order.status === 'disputed') await closeOpenDispute(tx, order.id, { state: 'refunded' });
        await failOpenRequests(tx, order, 'The order was cancelled.');
        await refundEscrow(tx, context, order);
        return {
          set: { cancelledAt: now },
          note: reason,
          events: [{ type: 'order.cancelled', data: { previous_status: order.status } }],
        };
      });
    },
  };
}
