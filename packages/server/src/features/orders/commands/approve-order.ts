/** The buyer approves a delivery: the order is completed and the provider paid. */
import type { HandlersOf } from '../../../access/call.ts';
import { hasPayoutFailed } from '../money/payout-failed.ts';
import type { OrdersContext } from '../orders-context.ts';
import { runCommand } from './run-command.ts';

export function approveOrder(context: OrdersContext): HandlersOf<'orders'>['approve'] {
  return async ({ id, allow_portfolio: allowPortfolio }, call) =>
    await runCommand(context, call, id, 'approve', async ({ tx, order, now }) => ({
      set: { completedAt: now, ...(allowPortfolio !== undefined && { allowPortfolio }) },
      events: [{ type: 'order.completed', data: { payout_failed: await hasPayoutFailed(tx, order) } }],
    }));
}
