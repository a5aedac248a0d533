/** The clocks of an order, and which orders are workspaces. */

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** A delivered order is released by itself after this. */
export const REVIEW_HOURS = 48;
const REVIEW_WINDOW_MS = REVIEW_HOURS * HOUR_MS;
/** A second delivery, or a withdrawn dispute, leaves at least this much. */
const SHORT_REVIEW_MS = 24 * HOUR_MS;
/** After the promised time the provider has this long before the order is cancelled. */
const DELIVERY_GRACE_MS = 24 * HOUR_MS;
const REVISION_TIME_MS = 7 * DAY_MS;
const EVIDENCE_TIME_MS = 3 * DAY_MS;
const RULING_TIME_MS = 7 * DAY_MS;

export interface ServiceTerms {
  readonly priceType: 'fixed' | 'quote' | 'weekly' | 'monthly';
  readonly quotaTotal: number;
}

/** Subscriptions, and one-time services sold as a number of generations. */
export function isWorkspace({ priceType, quotaTotal }: ServiceTerms): boolean {
  return priceType === 'weekly' || priceType === 'monthly' || (priceType === 'fixed' && quotaTotal > 0);
}

const workspaceDays = { weekly: 7, monthly: 30, fixed: 1, quote: 1 } as const;

export function workspaceEnd({ priceType }: ServiceTerms, from: Date): Date {
  return after(from, workspaceDays[priceType] * DAY_MS);
}

export function deliveryClock(turnaroundHours: number, from: Date): { readonly dueAt: Date; readonly deliveryDeadline: Date } {
  const dueAt = after(from, turnaroundHours * HOUR_MS);
  return { dueAt, deliveryDeadline: after(dueAt, DELIVERY_GRACE_MS) };
}

export function reviewDeadline(now: Date): Date {
  return after(now, REVIEW_WINDOW_MS);
}

/** What is left of the window, but at least a day. */
export function prolongedReview(current: Date | null, now: Date): Date {
  const shortest = after(now, SHORT_REVIEW_MS);
  return current !== null && current > shortest ? current : shortest;
}

export function revisionDeadline(now: Date): Date {
  return after(now, REVISION_TIME_MS);
}

export function disputeClock(now: Date): { readonly evidenceUntil: Date; readonly rulingDue: Date } {
  return { evidenceUntil: after(now, EVIDENCE_TIME_MS), rulingDue: after(now, RULING_TIME_MS) };
}

function after(from: Date, ms: number): Date {
  return new Date(from.getTime() + ms);
}
