/** The one interface of everything that a payment can buy. A hire and a registration implement it; `intake` takes the payment. */
import type { MarketError, NetworkName } from '@market/contract';
import type { Call } from '../../access/call.ts';
import type { Caller } from '../../access/caller.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import type { NewPayment } from '../payments/index.ts';
import type { PurchaseRow } from './intake/repository.ts';
import type { ChallengeOptions } from './offers/challenge-options.ts';
import type { Offer } from './offers/offers.ts';
import type { X402Context } from './x402-context.ts';

/** `R` is a request as its endpoints read it, `D` the data of their answers. */
export interface Product<R, D> {
  /** A request with a payment, as one purchase. Throws when the request is incomplete. */
  read(context: X402Context, call: Call, request: R): Purchase;
  /** The price for a request without a payment, and how to pay it. Throws when it is not for sale. */
  offer(context: X402Context, call: Call, request: R): Promise<Asked>;
  /** Claims the payment, makes what it bought and stores the answer, in one transaction. */
  record(tx: Tx, context: X402Context, payment: NewPayment, paid: PaidRequest): Promise<PurchaseRow>;
  /** The stored answer, for this recipient. */
  present(db: Db, context: X402Context, result: PurchaseResult, caller: Caller): Promise<D>;
  /** Absent if the product can always be made. */
  readonly giveBack?: GiveBack;
}

/** For a product that can no longer be made after the money has moved. */
export interface GiveBack {
  /** The reason why a purchase can never be made; undefined for errors that a retry may mend. */
  refusalOf(error: unknown): MarketError | undefined;
  /** Claims the payment, sends it back to its payer and stores the refusal. */
  record(tx: Tx, context: X402Context, payment: NewPayment, paid: PaidRequest, refusal: MarketError): Promise<PurchaseRow>;
}

/** An offer, and how the endpoint asks for its payment. */
export interface Asked {
  readonly offer: Offer;
  readonly options: ChallengeOptions;
}

export type Purpose = PurchaseRow['purpose'];

/** `transfer`: made beforehand, its reference is public. `facilitator`: signed for this request and settled by us. */
export type SettledVia = 'transfer' | 'facilitator';

export interface Price {
  /** The amount that the payer pays. */
  readonly amountMicros: bigint;
  /** The price before the fee on top, if there is one. */
  readonly listMicros: bigint;
  /** The time at which this price was set. */
  readonly offeredSince: Date;
}

/** The payer, and the way of payment. */
export interface Paid {
  readonly payer: string;
  readonly network: NetworkName;
  readonly via: SettledVia;
}

/** One request that wants to buy: what, at which prices, and how it is stored. */
export interface Purchase {
  readonly purpose: Purpose;
  /** Id of the order or agent, chosen before it exists. */
  readonly subjectId: string;
  /** The same payment with the same request is a repetition, with another a conflict. */
  readonly fingerprint: Buffer;
  readonly offer: Offer;
  readonly challenge: ChallengeOptions;
  /** Older transfers were meant for something else. */
  readonly payableSince: Date;
  /** Prices a payment may be held against, today's first. */
  readonly prices: readonly Price[];
  /** Throws when it cannot be bought (any more). Not called for what is already paid. */
  requireOnOffer(): Promise<void>;
  /** Throws when this payer cannot buy it for this caller. Absent where everybody can. */
  requireBuyer?(paid: Paid): Promise<void>;
  /** The data stored to make the purchase after the money has moved. */
  pack(paid: Paid & { readonly price: Price }): Readonly<Record<string, unknown>>;
}

/** A stored request whose payment has arrived. */
export interface PaidRequest {
  readonly purpose: Purpose;
  readonly fingerprint: Buffer;
  /** The data that `Purchase.pack` returned. */
  readonly request: unknown;
  readonly settledVia: SettledVia;
}

/**
 * The receiver of the answer. `payer`: proven. `first`: the request that spent a bare transfer. `unanswered`: the repetition of a signed
 * payment whose answer nobody got. `other`: any other repetition.
 */
export type Recipient = 'payer' | 'first' | 'unanswered' | 'other';

/** The purchase of a payment, for its presenter. */
export interface PurchaseResult {
  readonly row: PurchaseRow;
  readonly recipient: Recipient;
  /** The standard's receipt. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Makes the answer of one endpoint. For a new purchase by transfer it runs in the transaction that makes the purchase. */
export type AnswerPurchase<A> = (db: Db, result: PurchaseResult) => Promise<A>;
