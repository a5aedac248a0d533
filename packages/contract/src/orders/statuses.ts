/** The states of an order. `lifecycle.ts` has the steps between them. */
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
