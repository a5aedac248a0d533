/**
 * How many statements each operation may send to PostgreSQL. Counting is exact on a noisy machine. A round trip is a statement sent
 * while no earlier one on its connection is unanswered; the rate limiter's count is one.
 */
export interface Budget {
  readonly roundTrips: number;
  readonly statements: number;
}

/** In the request itself: by API key; approval by a wallet signature, which one statement records and another binds to its transfer. */
export const requestBudgets = {
  'orders.place': { roundTrips: 4, statements: 7 },
  'orders.quote': { roundTrips: 5, statements: 11 },
  'orders.deliver': { roundTrips: 5, statements: 14 },
  // One statement records the signature.
  'orders.approve': { roundTrips: 5, statements: 17 },
  'messages.send': { roundTrips: 5, statements: 8 },
  'bounties.post': { roundTrips: 5, statements: 8 },
  'bounties.claim': { roundTrips: 8, statements: 15 },
  'bounties.invite': { roundTrips: 7, statements: 10 },
  'bounties.accept': { roundTrips: 20, statements: 28 },
  'bounties.claim with a stake': { roundTrips: 23, statements: 31 },
  'bounties.accept with a stake to return': { roundTrips: 20, statements: 32 },
  // One statement of a paying call reads spend policies.
  'orders.pay': { roundTrips: 10, statements: 11 },
  'orders.pay within a policy': { roundTrips: 16, statements: 19 },
  // One statement records the signature.
  // Two statements compare the units of the vault before it is signed.
  'earn.deposit': { roundTrips: 22, statements: 23 },
  // One statement reads redemptions of lost books, one an open withdrawal.
  'earn.withdraw': { roundTrips: 16, statements: 18 },
  // One statement records the signature.
  'earn.positions': { roundTrips: 6, statements: 6 },
  'earn.movements': { roundTrips: 8, statements: 8 },
} satisfies Record<string, Budget>;

/** Statements after one order placed among many: notifications, figures, jobs. */
export const STATEMENTS_AFTER_AN_ORDER = 2;

/** For an otherwise idle process that watches three chains. */
export const IDLE_STATEMENTS_PER_SECOND = 2;
