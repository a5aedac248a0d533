/** The conditions that rows of the lifecycle may name, and the facts of an order that they check. */
import type { orderErrors } from './errors.ts';
import type { OrderStatus } from './statuses.ts';

/** Facts that a rule may check besides status and role. */
export interface LifecycleFacts {
  readonly status: OrderStatus;
  /** The buyer sends requests within a quota or period, instead of getting one delivery. */
  readonly workspace: boolean;
  /** The provider was paid at hire, so no money is held. */
  readonly settled: boolean;
  /** A chain took the payment back. */
  readonly paymentReverted: boolean;
  readonly deliveryDeadline: Date | null;
  readonly reviewDeadline: Date | null;
  readonly revisionDeadline: Date | null;
  readonly workspaceEndsAt: Date | null;
  readonly revisionCount: number;
  readonly maxRevisions: number;
  /** Revisions beyond `maxRevisions` that the provider granted. */
  readonly extraRevisions: number;
  /** 0 means no quota within the period. */
  readonly quotaTotal: number;
  readonly quotaUsed: number;
  /** Requests that the provider has not answered yet. */
  readonly openRequests: number;
  readonly reviewed: boolean;
  /** Buyer and provider share an account, wallet or owner. */
  readonly relatedParty: boolean;
  /** True: the provider quoted the price for this order. False: it is the listed price. */
  readonly byQuote: boolean;
  /** A later quote of the provider has a longer delivery time than an earlier one. */
  readonly quoteLengthened: boolean;
  /** The provider delivered at least once. */
  readonly delivered: boolean;
  /** The order was overdue once; a late delivery does not clear this. */
  readonly markedOverdue: boolean;
  /** A transfer for this order that the chain shows and the restored books lack; set by `market reconcile` only. */
  readonly left?: 'payout' | 'refund';
}

export interface Guard {
  holds(order: LifecycleFacts, now: Date): boolean;
  /** The error code; its message in the catalogue is the reason that people read. */
  readonly code: OrderRefusal;
  /** When time alone makes the guard fail; null for never. */
  closesAt?(order: LifecycleFacts): Date | null;
}

export type OrderRefusal = keyof Pick<
  typeof orderErrors,
  | 'illegal_transition'
  | 'price_is_listed'
  | 'quote_changed'
  | 'not_a_workspace'
  | 'workspace_works_by_requests'
  | 'workspace_over'
  | 'workspace_running'
  | 'quota_exhausted'
  | 'delivery_overdue'
  | 'review_window_over'
  | 'review_window_open'
  | 'revision_limit_reached'
  | 'revision_overdue'
  | 'already_settled'
  | 'payment_reverted'
  | 'review_exists'
  | 'related_party'
  | 'deadline_not_reached'
>;

const isOver = (deadline: Date | null, now: Date): boolean => deadline !== null && now.getTime() >= deadline.getTime();

/** A workspace is over when its time has ended, or when its quota is used up and every request was answered. */
export function isWorkspaceOver(order: LifecycleFacts, now: Date): boolean {
  return isOver(order.workspaceEndsAt, now) || (isQuotaUsedUp(order) && order.openRequests === 0);
}

function isQuotaUsedUp(order: LifecycleFacts): boolean {
  return order.quotaTotal > 0 && order.quotaUsed >= order.quotaTotal;
}

/** True: the provider was paid at hire and never delivered. It owes the work, and no money is held. */
export function isOwed(order: LifecycleFacts): boolean {
  return order.settled && !order.delivered;
}

export const lifecycleGuards = {
  by_quote: {
    holds: (order) => order.byQuote,
    code: 'price_is_listed',
  },
  /** After a quote with a longer time, the buyer must accept first, because its payment may be meant for the shorter time. */
  time_agreed: {
    holds: (order) => order.status !== 'quoted' || !order.quoteLengthened,
    code: 'quote_changed',
  },
  workspace: {
    holds: (order) => order.workspace,
    code: 'not_a_workspace',
  },
  plain: {
    holds: (order) => !order.workspace,
    code: 'workspace_works_by_requests',
  },
  workspace_open: {
    holds: (order, now) => !isOver(order.workspaceEndsAt, now),
    code: 'workspace_over',
    closesAt: (order) => order.workspaceEndsAt,
  },
  quota_left: {
    holds: (order) => !isQuotaUsedUp(order),
    code: 'quota_exhausted',
  },
  workspace_over: {
    holds: isWorkspaceOver,
    code: 'workspace_running',
  },
  /** A provider paid at hire may deliver late: no money is left to refund, so late work is better than none. */
  delivery_open: {
    holds: (order, now) => order.settled || !isOver(order.deliveryDeadline, now),
    code: 'delivery_overdue',
    closesAt: (order) => (order.settled ? null : order.deliveryDeadline),
  },
  delivery_overdue: {
    holds: (order, now) => isOver(order.deliveryDeadline, now),
    code: 'deadline_not_reached',
  },
  review_open: {
    holds: (order, now) => !isOver(order.reviewDeadline, now),
    code: 'review_window_over',
    closesAt: (order) => order.reviewDeadline,
  },
  /** Also holds if the chain shows a payout that restored books lack. */
  review_over: {
    holds: (order, now) => isOver(order.reviewDeadline, now) || order.left === 'payout',
    code: 'review_window_open',
  },
  revisions_left: {
    holds: (order) => order.revisionCount < order.maxRevisions + order.extraRevisions,
    code: 'revision_limit_reached',
  },
  revision_open: {
    holds: (order, now) => !isOver(order.revisionDeadline, now),
    code: 'revision_overdue',
    closesAt: (order) => order.revisionDeadline,
  },
  revision_overdue: {
    holds: (order, now) => isOver(order.revisionDeadline, now),
    code: 'deadline_not_reached',
  },
  held: {
    holds: (order) => !order.settled,
    code: 'already_settled',
  },
  /** The chain shows a payout of this order that restored books lack. */
  payout_left: {
    holds: (order) => order.left === 'payout',
    code: 'illegal_transition',
  },
  refund_left: {
    holds: (order) => order.left === 'refund',
    code: 'illegal_transition',
  },
  not_marked_overdue: {
    holds: (order) => !order.markedOverdue,
    code: 'illegal_transition',
  },
  owed: {
    holds: isOwed,
    code: 'illegal_transition',
  },
  not_owed: {
    holds: (order) => !isOwed(order),
    code: 'illegal_transition',
  },
  not_reviewed: {
    holds: (order) => !order.reviewed,
    code: 'review_exists',
  },
  unrelated: {
    holds: (order) => !order.relatedParty,
    code: 'related_party',
  },
} as const satisfies Record<string, Guard>;
