/** The buyer allows or forbids showing the result. This is no step in the order's life. */
import { toFlag } from '@market/contract';
import type { HandlersOf } from '../../../access/call.ts';
import { requireSide } from '../lifecycle/parties.ts';
import { amendOrder } from '../lifecycle/take-step.ts';
import type { OrdersContext } from '../orders-context.ts';
import { requireLockedOrder, requireOrder } from '../require-order.ts';

export function setPortfolioConsent(context: OrdersContext): HandlersOf<'orders'>['setPortfolioConsent'] {
  return async ({ id, allow }, call) => {
    const order = await requireOrder(context.database.db, id);
    requireSide(call.caller, order, 'buyer');
    return await call.commit(async (tx) => {
      await amendOrder(tx, await requireLockedOrder(tx, id), { allowPortfolio: allow });
      return { data: { order_id: order.id, allow_portfolio: toFlag(allow) } };
    });
  };
}
