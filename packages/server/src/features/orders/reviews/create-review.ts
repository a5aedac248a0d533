/** The buyer reviews a completed order, once. The order's lock serialises reviews; a unique index enforces one. */
import type { HandlersOf } from '../../../access/call.ts';
import { newId } from '../../../platform/random.ts';
import {
  clientName,
  lockForCommand,
  type OrderRow,
  type OrdersContext,
  presentReview,
  requireActor,
  requireOrder,
  shortWallet,
  takeStep,
} from '../index.ts';
import { insertReview } from './repository.ts';

export function createReview(context: OrdersContext): HandlersOf<'reviews'>['create'] {
  return async ({ id, rating, comment: given }, call) => {
    const seen = await requireOrder(context.database.db, id);
    const actor = requireActor(call.caller, call.clientAddress, seen, 'review');
    const comment = given === undefined || given === '' ? null : given;

    return await call.commit(async (tx) => {
      const { order, to } = await lockForCommand(tx, context, id, 'review', actor);
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
        ...paymentOf(order),
      });
      await takeStep(tx, context, order, {
        command: 'review',
        to,
        actor,
        note: comment === null ? `${rating} of 5.` : `${rating} of 5. ${comment}`,
        events: [{ type: 'order.reviewed', data: { rating, comment } }],
      });
      return { data: presentReview(review, context.explorerUrl) };
    });
  };
}

/** A completed order was paid, so there is always a payment behind a review. */
function paymentOf({ id, paymentNetwork, paymentReference, paidAt }: OrderRow) {
  if (paymentNetwork === null || paymentReference === null || paidAt === null)
    throw new Error(`order ${id} was completed without a payment`);
  return { paymentNetwork, paymentReference, paidAt };
}

/** Reviews are public: an agent may be named, but not a full wallet address or an account id. */
function publicReviewer(order: OrderRow): string {
  return order.clientAgentId ?? order.clientUserName ?? shortWallet(order.clientWallet ?? order.payer ?? '');
}
