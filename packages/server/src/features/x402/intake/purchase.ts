/** Something that one payment buys. What it is differs, how it is paid for does not: hires and registrations come through one intake. */
import type { NetworkName } from '@market/contract';
import type { Db } from '../../../platform/db/database.ts';
import type { ChallengeOptions } from '../offers/challenge.ts';
import type { Offer } from '../offers/offers.ts';
import type { PurchaseRow } from './repository.ts';

export type Purpose = PurchaseRow['purpose'];

/** A transfer's reference is public, so anybody may show it; a payment settled by a facilitator was signed for this very request. */
export type SettledVia = 'transfer' | 'facilitator';

export interface Price {
  /** What is asked of the payer. */
  readonly amountMicros: bigint;
  /** Before the fee on top, where there is one. */
  readonly listMicros: bigint;
  /** Since when it stood at this price. */
  readonly offeredSince: Date;
}

/** Whose money it is, and how it came. */
export interface Paid {
  readonly payer: string;
  readonly network: NetworkName;
  readonly via: SettledVia;
}

export interface Purchase {
  readonly purpose: Purpose;
  /** Of the order or agent, named before it exists. */
  readonly subjectId: string;
  /** The same payment with the same request is a repetition, with another a conflict. */
  readonly fingerprint: Buffer;
  readonly offer: Offer;
  readonly challenge: ChallengeOptions;
  /** Older transfers were meant for something else. */
  readonly payableSince: Date;
  /** Prices a payment may be held against, today's first. */
  readonly prices: readonly Price[];
  /** Throws when it cannot be bought (any more). Not asked about what was paid for already. */
  requireOnOffer(): Promise<void>;
  /** Throws when this payer cannot buy it for this caller. */
  requireBuyer(paid: Paid): void;
  /** Everything that is needed to make it, as it is stored until the money has moved. */
  pack(paid: Paid & { readonly price: Price }): Readonly<Record<string, unknown>>;
}

/**
 * Whom an answer is for. `payer`: shown to be the payer. `first`: the request that spent a transfer, vouched for by nothing but its public
 * reference. `other`: whoever repeats it.
 */
export type Hearer = 'payer' | 'first' | 'other';

/** What was bought, for who presented the payment. */
export interface PurchaseResult {
  readonly row: PurchaseRow;
  readonly hearer: Hearer;
  /** The standard's receipt. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Makes the answer of one address. For a new purchase it runs in the transaction that makes it, so that both are kept together. */
export type Answering<A> = (db: Db, result: PurchaseResult) => Promise<A>;
