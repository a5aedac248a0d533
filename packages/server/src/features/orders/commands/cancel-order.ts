/** The buyer or an administrator cancels before work has begun. The payer gets everything back. */
import type { HandlersOf } from '../../../access/call.ts';
import { recordAdminAction } from '../../moderation/index.ts';
import type { OrdersContext } from '../orders-context.ts';
import { runCommand } from './run-command.ts';

export function cancelOrder(context: OrdersContext): HandlersOf<'orders'>['cancel'] {
  return async ({ id, reason }, call) =>
    await runCommand(context, call, id, 'cancel', async ({ tx, order, now, actor }) => {
      if (actor.role === 'admin') {
        await recordAdminAction(tx, call.caller, { action: 'order.cancel', subjectId: order.id, reason: reason ?? null, details: {} });
      }
      return {
        set: { cancelledAt: now },
        note: reason,
        events: [{ type: 'order.cancelled', data: { previous_status: order.status } }],
      };
    });
}
