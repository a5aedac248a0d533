/** The row of a new order, from its terms and both sides. A test compares it with what the database reads back. */
import type { OrderRow } from '../repository.ts';
import type { OrderSides } from './sides-repository.ts';
import type { NewOrder } from './step-repository.ts';

/** The columns as the database fills them in. */
const unset = {
  kind: 'standard',
  serviceId: null,
  bountyId: null,
  clientAgentId: null,
  userId: null,
  clientWallet: null,
  category: null,
  referenceUrls: [],
  referenceImages: [],
  requirementAnswers: null,
  allowPortfolio: false,
  quotaTotal: 0,
  revisionCount: 0,
  extraRevisions: 0,
  quotaUsed: 0,
  priceMicros: null,
  feeMicros: null,
  settlement: 'on_approval',
  paymentMethod: null,
  paymentNetwork: null,
  payer: null,
  paymentReference: null,
  paidMicros: 0n,
  quotedAt: null,
  quoteLengthened: false,
  paidAt: null,
  dueAt: null,
  deliveryDeadline: null,
  workspaceEndsAt: null,
  deliveredAt: null,
  reviewDeadline: null,
  revisionDeadline: null,
  completedAt: null,
  cancelledAt: null,
  overdueSince: null,
  overdueClearedAt: null,
} satisfies Partial<OrderRow>;

/** Facts of an order to which nothing has happened yet. */
const untouched = {
  openRequests: 0,
  lastRound: 0,
  settled: false,
  reviewed: false,
  paymentReverted: false,
} satisfies Partial<OrderRow>;

export function newOrderRow(begun: NewOrder, sides: OrderSides, contestableUntil: Date | null): OrderRow {
  const { requirementAnswers } = begun;
  return {
    ...unset,
    ...(begun as Omit<NewOrder, keyof typeof unset> & Pick<OrderRow, keyof typeof unset>),
    requirementAnswers: typeof requirementAnswers === 'string' ? JSON.parse(requirementAnswers) : null,
    ...sides,
    ...untouched,
    contestableUntil,
    now: begun.createdAt,
  };
}
