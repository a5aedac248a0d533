/** The provider begins the work. */
import type { HandlersOf } from '../../../access/call.ts';
import type { OrdersContext } from '../orders-context.ts';
import { runCommand } from './run-command.ts';

export function startOrder(context: OrdersContext): HandlersOf<'orders'>['start'] {
  return async ({ id }, call) =>
    await runCommand(context, call, id, 'start', async ({ to }) => ({
      events: [{ type: 'order.started', data: { status: to } }],
    }));
}
