/** Reads disputes: one by its order, or all as operators list them. */
import { MarketError } from '@market/contract';
import type { HandlersOf } from '../../../access/call.ts';
import { findOrders, isWithheld, type OrdersContext, requireOrder, viewerOf } from '../index.ts';
import { presentCase, presentListed } from './present.ts';
import { findLatestDispute, listDisputes } from './repository.ts';
import { sideOf } from './statements.ts';

export function getDispute(context: OrdersContext): HandlersOf<'disputes'>['get'] {
  const { db } = context.database;
  return async ({ id }, { caller }) => {
    const order = await requireOrder(db, id);
    const withheld = isWithheld(order, viewerOf(caller, order));
    const dispute = await findLatestDispute(db, order.id);
    if (dispute === undefined) throw new MarketError('dispute_not_found');
    return { data: await presentCase(db, context, { order, dispute, side: sideOf(caller, order), isWithheld: withheld }) };
  };
}

export function listAllDisputes({ database: { db } }: OrdersContext): HandlersOf<'disputes'>['list'] {
  return async (filters) => {
    const { rows, total, nextCursor } = await listDisputes(db, filters);
    const found = await findOrders(
      db,
      rows.map(({ orderId }) => orderId),
    );
    const orders = new Map(found.map((order) => [order.id, order]));
    const data = rows.flatMap((dispute) => {
      const order = orders.get(dispute.orderId);
      return order === undefined ? [] : [presentListed(dispute, order)];
    });
    return { data, total, next_cursor: nextCursor };
  };
}
