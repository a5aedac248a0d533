import { MarketError } from '@market/contract';
import type { HandlersOf } from '../../../access/call.ts';
import { isContestable, provePayer } from '../lifecycle/contestable.ts';
import { requireActor } from '../lifecycle/parties.ts';
import type { OrdersContext } from '../orders-context.ts';
import { requireLockedOrder } from '../require-order.ts';

const CONFIRMED =
  'Tokens of the first presenter have ended. Read with a signature of this wallet, or repeat the hire with it for new tokens.';

/** The paying wallet vouches for a bare transfer: nothing can be contested any more, and the results are shown. */
export function confirmPayment(context: OrdersContext): HandlersOf<'orders'>['confirmPayment'] {
  return async ({ id }, call) =>
    await call.commit(async (tx) => {
      const locked = await requireLockedOrder(tx, id);
      requireActor(call.caller, call.clientAddress, locked, 'approve');
      const order = await provePayer(tx, context, locked, call.caller);
      if (isContestable(order)) {
        throw new MarketError('payment_wrong_payer', {
          message: `Only the wallet that paid, ${order.payer}, can confirm this payment: by its signature, its session, or an account that it is linked to.`,
          data: { payer: order.payer },
        });
      }
      return { data: { order_id: order.id, status: order.status, contestable_until: null, note: CONFIRMED } };
    });
}
