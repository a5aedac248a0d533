/** Turns an order's row into the facts that `decide` asks for. */
import { isWorkspace, type LifecycleFacts } from '@market/contract';
import type { OrderRow } from '../repository.ts';

export function factsOf(order: OrderRow): LifecycleFacts {
  return {
    status: order.status,
    workspace: isWorkspace(order),
    settled: order.settled,
    paymentReverted: order.paymentReverted,
    deliveryDeadline: order.deliveryDeadline,
    reviewDeadline: order.reviewDeadline,
    revisionDeadline: order.revisionDeadline,
    workspaceEndsAt: order.workspaceEndsAt,
    revisionCount: order.revisionCount,
    maxRevisions: order.maxRevisions,
    extraRevisions: order.extraRevisions,
    quotaTotal: order.quotaTotal,
    quotaUsed: order.quotaUsed,
    openRequests: order.openRequests,
    reviewed: order.reviewed,
    relatedParty: order.relatedParty,
    byQuote: order.priceType === 'quote',
    delivered: order.deliveredAt !== null,
    markedOverdue: order.overdueSince !== null,
  };
}
