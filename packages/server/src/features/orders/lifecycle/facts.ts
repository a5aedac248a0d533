/** Turns an order's row into the facts that `decide` asks for, and those into what a caller can do next. */
import { isWorkspace, type LifecycleFacts, type NextAction, nextOrderActions, type OrderRole } from '@market/contract';
import type { OrderRow } from '../repository.ts';
import { isContestable } from './contestable.ts';

/** `isPayer`: the request shows a credential of the wallet that paid, which confirms a payment that is still contestable. */
export function nextActionsOf(order: OrderRow, roles: readonly OrderRole[], isPayer: boolean): NextAction[] {
  const contestableUntil = isContestable(order) ? order.contestableUntil : null;
  const confirmableUntil = isPayer && roles.includes('buyer') ? contestableUntil : null;
  const contestable = contestableUntil !== null && confirmableUntil === null;
  return nextOrderActions({ ...factsOf(order), id: order.id }, { roles, contestable, confirmableUntil }, order.now);
}

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
    quoteLengthened: order.quoteLengthened,
    delivered: order.deliveredAt !== null,
    markedOverdue: order.overdueSince !== null,
  };
}
