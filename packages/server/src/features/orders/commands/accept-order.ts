/** The buyer commits to the quoted price. */
import type { HandlersOf } from '../../../access/call.ts';
import type { OrdersContext } from '../orders-context.ts';
import { runCommand } from './run-command.ts';

export function acceptOrder(context: OrdersContext): HandlersOf<'orders'>['accept'] {
  return async ({ id }, call) =>
    await runCommand(context, call, id, 'accept', async ({ to }) => ({
      events: [{ type: 'order.accepted', data: { status: to } }],
    }));
}
