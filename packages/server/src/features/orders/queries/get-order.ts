/** Reads one order with everything around it. */
import type { HandlersOf } from '../../../access/call.ts';
import { actingRolesOf, isPayer, requireParty } from '../lifecycle/parties.ts';
import { viewerOf } from '../lifecycle/withheld.ts';
import type { OrdersContext } from '../orders-context.ts';
import { viewOrder } from '../present/view-order.ts';
import { requireOrder } from '../require-order.ts';

export function getOrder(context: OrdersContext): HandlersOf<'orders'>['get'] {
  return async ({ id }, { caller }) => {
    const order = await requireOrder(context.database.db, id);
    const viewer = { acting: actingRolesOf(caller, order), isPayer: isPayer(caller, order), viewer: viewerOf(caller, order) };
    return { data: await viewOrder(context, order, requireParty(caller, order), viewer) };
  };
}
