/** Disputes about orders: both sides are heard, an operator rules. What the rest of the server may use. */
import { MarketError } from '@market/contract';
import type { HandlersOf } from '../../access/call.ts';
import { principalOf } from '../../access/caller.ts';
import { newId } from '../../platform/random.ts';
import { findLatestDispute, findOrder, findOrders, lockOrder, type OrdersContext, requireParty, tellOf } from '../orders/index.ts';
import { presentCase, presentListed, presentStatement } from './present.ts';
import { insertStatement, listDisputes, listStatements } from './repository.ts';
import { ruleDispute } from './rule.ts';
import { refusalToState, sideOf } from './statements.ts';

export function disputeHandlers(context: OrdersContext): HandlersOf<'disputes'> {
  const { db } = context.database;
  return {
    async get({ id }, { caller }) {
      const order = await findOrder(db, id);
      if (order === undefined) throw new MarketError('order_not_found');
      requireParty(caller, order);
      const dispute = await findLatestDispute(db, order.id);
      if (dispute === undefined) throw new MarketError('dispute_not_found');
      return { data: await presentCase(db, context, { order, dispute, side: sideOf(caller, order) }) };
    },

    async state({ id, statement, evidence_urls: evidenceUrls }, call) {
      const { caller } = call;
      return await call.commit(async (tx) => {
        // The order's lock, so that nobody speaks after the ruling nor past the number allowed.
        const order = await lockOrder(tx, id);
        if (order === undefined) throw new MarketError('order_not_found');
        requireParty(caller, order);
        const side = sideOf(caller, order);
        if (side === undefined) throw new MarketError('wrong_side', { message: 'Only buyer and provider state their case.' });
        const dispute = await findLatestDispute(tx, order.id);
        if (dispute === undefined) throw new MarketError('dispute_not_found');
        const refusal = refusalToState(dispute, await listStatements(tx, dispute.id), side, order.now);
        if (refusal !== undefined) throw new MarketError(refusal);
        await context.files.attach(tx, evidenceUrls, { by: caller, subjectId: order.id });
        const actor = { role: side, name: principalOf(caller, call.clientAddress) } as const;
        const row = await insertStatement(tx, {
          id: newId('stm', context.clock.now()),
          disputeId: dispute.id,
          side,
          author: actor.name,
          statement,
          evidenceUrls,
          createdAt: order.now,
        });
        await tellOf(tx, context, order, actor, [{ type: 'order.dispute_stated', data: { side } }]);
        return { data: presentStatement(context, order, row) };
      });
    },

    async list(filters) {
      const { rows, total, nextCursor } = await listDisputes(db, filters);
      const orders = new Map(
        (
          await findOrders(
            db,
            rows.map(({ orderId }) => orderId),
          )
        ).map((order) => [order.id, order]),
      );
      const data = rows.flatMap((dispute) => {
        const order = orders.get(dispute.orderId);
        return order === undefined ? [] : [presentListed(dispute, order)];
      });
      return { data, total, next_cursor: nextCursor };
    },

    rule: ruleDispute(context),
  };
}
