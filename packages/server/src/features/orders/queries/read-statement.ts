/** Reads the books of one order. */
import type { HandlersOf } from '../../../access/call.ts';
import { readOrderMoney } from '../../money/index.ts';
import { listPayoutsOf } from '../../payouts/index.ts';
import { requireParty } from '../lifecycle/parties.ts';
import type { OrdersContext } from '../orders-context.ts';
import { presentMoney } from '../present/present-money.ts';
import { requireOrder } from '../require-order.ts';

export function readStatement(context: OrdersContext): HandlersOf<'orders'>['statement'] {
  const { db } = context.database;
  return async ({ id }, { caller }) => {
    const order = await requireOrder(db, id);
    requireParty(caller, order);
    const [payouts, books] = await Promise.all([listPayoutsOf(db, [order.id]), readOrderMoney(db, order.id)]);
    return { data: { money: await presentMoney(db, context, order, payouts), lines: [...books.lines] } };
  };
}
