/** Builds the row of a new order from known values, without reading it back. A test compares both. */
import type { OrderRow } from '../repository.ts';
import type { NewOrder } from './step-repository.ts';

/** The names and owners of both sides, where the caller knows them already. */
export type KnownSides = Pick<
  OrderRow,
  | 'providerName'
  | 'providerSlug'
  | 'providerOwnerWallet'
  | 'providerOwnerUserId'
  | 'clientAgentName'
  | 'clientOwnerWallet'
  | 'clientOwnerProven'
  | 'clientOwnerUserId'
  | 'clientUserName'
  | 'clientProfileName'
>;

/** What the database fills in. */
const unset: Omit<OrderRow, keyof Given | keyof KnownSides | keyof typeof untouched | 'now'> = {
  kind: 'standard',
  bountyId: null,
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
};

/** Nothing has happened to it yet. */
const untouched = {
  openRequests: 0,
  lastRound: 0,
  settled: false,
  reviewed: false,
  paymentReverted: false,
  contestableUntil: null,
  // Only asked for once there is a review.
  providerOnchainId: null,
} as const;

type Given = Pick<
  OrderRow,
  | 'id'
  | 'serviceId'
  | 'providerAgentId'
  | 'clientAgentId'
  | 'userId'
  | 'clientWallet'
  | 'relatedParty'
  | 'serviceTitle'
  | 'category'
  | 'priceType'
  | 'turnaroundHours'
  | 'maxRevisions'
  | 'quotaTotal'
  | 'brief'
  | 'referenceUrls'
  | 'referenceImages'
  | 'requirementAnswers'
  | 'allowPortfolio'
  | 'status'
  | 'createdAt'
  | 'updatedAt'
>;

export function asNewOrder(begun: NewOrder, sides: KnownSides): OrderRow {
  const { requirementAnswers } = begun;
  const given = begun as Given & Partial<typeof unset>;
  if (given.createdAt === undefined) throw new Error('an order that is not read back must bring its times');
  return {
    ...unset,
    ...given,
    paymentNetwork: null,
    requirementAnswers: typeof requirementAnswers === 'string' ? JSON.parse(requirementAnswers) : null,
    ...sides,
    ...untouched,
    now: given.createdAt,
  };
}
