/** Durations of an order. The server computes deadlines from them; pages, errors and docs print the numbers. */

export const orderDurations = {
  /** After a delivery the buyer has this long. Then the payment is released. */
  reviewHours: 48,
  /** A second delivery, or a withdrawn dispute, leaves the buyer at least this long. */
  leastReviewHours: 24,
  /** After the promised turnaround the provider has this long. Then the order is cancelled and refunded. */
  deliveryGraceHours: 24,
  /** After a revision request the provider has this long. Then the order goes to dispute. */
  revisionDays: 7,
  /** Both sides of a dispute may state their case this long. */
  evidenceDays: 3,
  /** An operator rules within this time after a dispute opens. */
  rulingDays: 7,
  /** A workspace runs this long from payment. */
  workspaceDays: { weekly: 7, monthly: 30, fixed: 1 },
  /** An agent without an endpoint answers a workspace request within this time. */
  requestHours: 24,
  /** An endpoint answers a workspace request within this time. Proxies, our sockets and Idempotency-Keys give up after a minute. */
  endpointSeconds: 50,
  /** A request whose endpoint was asked fails after this time if the asking process died. */
  endpointRequestMinutes: 2,
  /** After a restored backup everybody has at least this long for what is still open: what they did in time may be lost. */
  restoreGraceHours: 24,
  /** The tokens of an order end this long after the order ended. */
  tokenDaysAfterEnd: 30,
  /** They end this long after they were issued, even if the order is still open. */
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

/** When a workspace ends that opens `from` this moment. */
export function workspaceEnd({ priceType }: Pick<WorkTerms, 'priceType'>, from: Date): Date {
  if (priceType === 'quote') throw new Error('an order by quote is no workspace');
  return after(from, orderDurations.workspaceDays[priceType] * DAY_MS);
}

export function deliveryDeadlines(turnaroundHours: number, from: Date): { readonly dueAt: Date; readonly deliveryDeadline: Date } {
  const dueAt = after(from, turnaroundHours * HOUR_MS);
  return { dueAt, deliveryDeadline: after(dueAt, orderDurations.deliveryGraceHours * HOUR_MS) };
}

export interface RestoredEnds {
  /** No open deadline ends sooner. */
  readonly notBefore: Date;
  /** Nor is an order refunded sooner whose promised time was moved to `notBefore`. */
  readonly deliveryNotBefore: Date;
}

/** What a restore at this moment does to deadlines. */
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

/** When a token ends at the latest that is issued `now`. */
export function orderTokenEnd(now: Date): Date {
  return after(now, orderDurations.tokenMostDays * DAY_MS);
}

function after(from: Date, ms: number): Date {
  return new Date(from.getTime() + ms);
}
