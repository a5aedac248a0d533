/** The provider turns an unpaid order down. */
import type { HandlersOf } from '../../../access/call.ts';
import type { OrdersContext } from '../orders-context.ts';
import { runCommand } from './run-command.ts';

export function declineOrder(context: OrdersContext): HandlersOf<'orders'>['decline'] {
  return async ({ id, reason }, call) =>
    await runCommand(context, call, id, 'decline', async ({ order, now }) => ({
      set: { cancelledAt: now },
      note: reason,
      events: [{ type: 'order.cancelled', data: { previous_status: order.status } }],
    }));
}
