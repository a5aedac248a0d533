/** The states of an order. `lifecycle.ts` says how it gets from one to another. */
export const orderStatuses = [
  'pending_quote',
  'quoted',
  'accepted',
  'paid',
  'in_progress',
  'delivered',
  'completed',
  'revision_requested',
  'disputed',
  'cancelled',
] as const;
export type OrderStatus = (typeof orderStatuses)[number];
