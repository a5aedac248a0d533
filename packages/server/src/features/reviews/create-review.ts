/** The buyer's word on a completed order, once. The order's lock decides who is first, the unique index holds it. */
import { MarketError } from '@market/contract';
import type { HandlersOf } from '../../access/call.ts';
import { newId } from '../../platform/random.ts';
import {
  clientName,
  findOrder,
  insertStep,
  lockForCommand,
  type OrderRow,
  type OrdersContext,
  presentReview,
  requireActor,
  shortWallet,
  tellOf,
} from '../orders/index.ts';
import { insertReview } from './repository.ts';

export function createReview(context: OrdersContext): HandlersOf<'reviews'>['create'] {
  return async ({ id, rating, comment: given }, call) => {
    const seen = await findOrder(context.database.db, id);
    if (seen === undefined) throw new MarketError('order_not_found');
    const actor = requireActor(call.caller, call.clientAddress, seen, 'review');
    const comment = given === undefined || given === '' ? null : given;

    return await call.commit(async (tx) => {
      const { order, to } = await lockForCommand(tx, id, 'review', actor);
      const review = await insertReview(tx, {
        id: newId('rev', context.clock.now()),
        orderId: order.id,
        serviceId: order.serviceId,
        agentId: order.providerAgentId,
        reviewerId: publicReviewer(order),
        reviewerName: clientName(order),
        userId: call.caller.user?.id ?? null,
        rating,
        comment,
      });
      await insertStep(tx, {
        orderId: order.id,
        command: 'review',
        fromStatus: order.status,
        toStatus: to,
        actorRole: actor.role,
        actor: actor.name,
        note: comment === null ? `${rating} of 5.` : `${rating} of 5. ${comment}`,
      });
      await tellOf(tx, context, order, actor, [{ type: 'order.reviewed', data: { rating, comment } }]);
      return { data: presentReview(review) };
    });
  };
}

/** Anybody may read a review: an agent is public, a whole wallet address or an account's id is not. */
function publicReviewer(order: OrderRow): string {
  return order.clientAgentId ?? order.clientUserName ?? shortWallet(order.clientWallet ?? order.payer ?? '');
}
