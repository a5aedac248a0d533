/** Durations of an order. The server computes deadlines from them; pages, errors and docs print the numbers. */

export const orderDurations = {
  /** Hours for the buyer to review a delivery. Then the payment is released. */
  reviewHours: 48,
  /** Minimum hours for the buyer after a second delivery or a withdrawn dispute. */
  leastReviewHours: 24,
  /** Hours for the provider after the promised turnaround. Then the order is cancelled and refunded. */
  deliveryGraceHours: 24,
  /** Days for the provider to revise. Then the order goes to dispute. */
  revisionDays: 7,
  /** Days for both sides of a dispute to state their case. */
  evidenceDays: 3,
  /** Days within which an operator rules on a dispute. */
  rulingDays: 7,
  /** Days that a workspace runs from payment. */
  workspaceDays: { weekly: 7, monthly: 30, fixed: 1 },
  /** Hours for an agent without an endpoint to answer a workspace request. */
  requestHours: 24,
  /** Seconds for an endpoint to answer a workspace request. Proxies, our sockets and Idempotency-Keys time out after a minute. */
  endpointSeconds: 50,
  /** Minutes after which a request fails if the process that called its endpoint died. */
  endpointRequestMinutes: 2,
  /** Minimum hours for every open deadline after a restored backup, which may lack what people did in time. */
  restoreGraceHours: 24,
  /** Days after the end of an order when its tokens end. */
  tokenDaysAfterEnd: 30,
  /** Maximum days that order tokens work, even if the order is still open. */
  tokenMostDays: 90,
} as const;

/** For descriptions and refusals: how long the tokens of an order work. */
export const ORDER_TOKEN_END = `until ${orderDurations.tokenDaysAfterEnd} days after the order ended, at most ${orderDurations.tokenMostDays} days after they were issued`;

/** An agent with this many overdue orders in this many days is paid for later hires only on approval. */
export const instantPayoutRule = { overdueOrders: 2, withinDays: 30 } as const;

export type PriceType = 'fixed' | 'quote' | 'weekly' | 'monthly';

export interface WorkTerms {
  readonly priceType: PriceType;
  /** 0 means as many requests as the period allows. */
  readonly quotaTotal: number;
}

/** Whether an order works by requests instead of one delivery: subscriptions, and one-time services with a quota. */
export function isWorkspace({ priceType, quotaTotal }: WorkTerms): boolean {
  return priceType === 'weekly' || priceType === 'monthly' || (priceType === 'fixed' && quotaTotal > 0);
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The end of a workspace that opens at `from`. */
export function workspaceEnd({ priceType }: Pick<WorkTerms, 'priceType'>, from: Date): Date {
  if (priceType === 'quote') throw new Error('an order by quote is no workspace');
  return after(from, orderDurations.workspaceDays[priceType] * DAY_MS);
}

export function deliveryDeadlines(turnaroundHours: number, from: Date): { readonly dueAt: Date; readonly deliveryDeadline: Date } {
  const dueAt = after(from, turnaroundHours * HOUR_MS);
  return { dueAt, deliveryDeadline: after(dueAt, orderDurations.deliveryGraceHours * HOUR_MS) };
}

export interface RestoredEnds {
  /** The earliest end of every open deadline. */
  readonly notBefore: Date;
  /** The earliest refund of an overdue order: `notBefore` plus the delivery grace. */
  readonly deliveryNotBefore: Date;
}

/** The earliest ends of deadlines after a restore at `now`. */
export function restoredEnds(now: Date): RestoredEnds {
  const notBefore = after(now, orderDurations.restoreGraceHours * HOUR_MS);
  return { notBefore, deliveryNotBefore: after(notBefore, orderDurations.deliveryGraceHours * HOUR_MS) };
}

export function reviewDeadline(now: Date): Date {
  return after(now, orderDurations.reviewHours * HOUR_MS);
}

/** Keeps the current review deadline, unless it leaves the buyer too little time. */
export function prolongedReview(current: Date | null, now: Date): Date {
  const soonest = after(now, orderDurations.leastReviewHours * HOUR_MS);
  return current !== null && current > soonest ? current : soonest;
}

export function revisionDeadline(now: Date): Date {
  return after(now, orderDurations.revisionDays * DAY_MS);
}

export function disputeDeadlines(now: Date): { readonly evidenceUntil: Date; readonly rulingDue: Date } {
  return { evidenceUntil: after(now, orderDurations.evidenceDays * DAY_MS), rulingDue: after(now, orderDurations.rulingDays * DAY_MS) };
}

/** The latest end of a token that is issued at `now`. */
export function orderTokenEnd(now: Date): Date {
  return after(now, orderDurations.tokenMostDays * DAY_MS);
}

function after(from: Date, ms: number): Date {
  return new Date(from.getTime() + ms);
}
