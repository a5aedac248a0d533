/** The buyer approves a delivery: the order is completed and the provider paid. */
import type { HandlersOf } from '../../../access/call.ts';
import { hasPayoutFailed } from '../money/payout-failed.ts';
import type { OrdersContext } from '../orders-context.ts';
import { requireLockedWithPayee } from '../require-order.ts';
import { runLocked } from './run-command.ts';

export function approveOrder(context: OrdersContext): HandlersOf<'orders'>['approve'] {
  return async ({ id, allow_portfolio: allowPortfolio }, call) =>
    await call.commit(async (tx) => {
      const { order: locked, payee } = await requireLockedWithPayee(tx, id);
      return await runLocked(tx, context, call, locked, 'approve', async ({ order, now }) => ({
        set: { completedAt: now, ...(allowPortfolio !== undefined && { allowPortfolio }) },
        events: [{ type: 'order.completed', data: { payout_failed: await hasPayoutFailed(tx, order) } }],
        payee,
      }));
    });
}
