/** One purchase: what a request wants to buy, at which prices. Hires and registrations are paid through one intake. */
import type { NetworkName } from '@market/contract';
import { bindsToTransfer } from '../../../access/authority/seen-signatures.ts';
import { signerOf, spendableWallets } from '../../../access/authority/spendable-wallets.ts';
import type { Caller } from '../../../access/caller.ts';
import type { Db } from '../../../platform/db/database.ts';
import type { ChallengeOptions } from '../offers/challenge-options.ts';
import type { Offer } from '../offers/offers.ts';
import type { PurchaseRow } from './repository.ts';

export type Purpose = PurchaseRow['purpose'];

/** `transfer`: made beforehand, its reference is public. `facilitator`: signed for this request and settled by us. */
export type SettledVia = 'transfer' | 'facilitator';

export interface Price {
  /** What the payer pays. */
  readonly amountMicros: bigint;
  /** Before the fee on top, where there is one. */
  readonly listMicros: bigint;
  /** When this price was set. */
  readonly offeredSince: Date;
}

/** Who paid, and how. */
export interface Paid {
  readonly payer: string;
  readonly network: NetworkName;
  readonly via: SettledVia;
}

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
  /** Throws when this payer cannot buy it for this caller. */
  requireBuyer(paid: Paid): Promise<void>;
  /** What is stored to make the purchase after the money has moved. */
  pack(paid: Paid & { readonly price: Price }): Readonly<Record<string, unknown>>;
}

/** A stored request whose payment has arrived. */
export interface PaidRequest {
  readonly purpose: Purpose;
  readonly fingerprint: Buffer;
  /** As `Purchase.pack` stored it. */
  readonly request: unknown;
  readonly settledVia: SettledVia;
}

/**
 * Whether a repetition by this caller gets the secrets of the purchase. They outlive a session, a link and a permission, and anybody can
 * rebuild a request from public data: the wallet that paid must sign, with a signature that stood in no address and paid for nothing else.
 */
export async function isForPayer(db: Db, { payer, caip2, reference }: PurchaseRow, caller: Caller, network: NetworkName): Promise<boolean> {
  const wallets = await spendableWallets(db, caller, network);
  const signer = wallets.some(({ address, by }) => address === payer && by === 'signature') ? signerOf(caller, payer) : undefined;
  return signer !== undefined && (await bindsToTransfer(db, signer, `${caip2}/${reference}`));
}

/** The receiver of the answer. `payer`: proven. `first`: the request that spent a bare transfer. `other`: any repetition. */
export type Recipient = 'payer' | 'first' | 'other';

/** The purchase of a payment, for its presenter. */
export interface PurchaseResult {
  readonly row: PurchaseRow;
  readonly recipient: Recipient;
  /** The standard's receipt. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Makes the answer of one endpoint. For a new purchase it runs in the transaction that makes the purchase. */
export type AnswerPurchase<A> = (db: Db, result: PurchaseResult) => Promise<A>;
