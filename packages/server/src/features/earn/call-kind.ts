/** What a kind of call decides and books: deposit, redeem or allow. `advance-intent.ts` does the rest for all three. */
import type { VenueCall } from '../../platform/chains/yield-venues.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Attempt, Booking } from '../outgoing/index.ts';
import type { EarnContext, VenuePort } from './earn-context.ts';
import type { IntentRow } from './intent-repository.ts';

export interface CallKind {
  /** Before the call waits for its turn to be signed: others wait meanwhile. Throws `TransferRefused` when the venue refuses. */
  prepare(context: EarnContext, vault: VenuePort, intent: IntentRow): Promise<Preparation>;
  /** Reads everything before the transaction begins that books the result. */
  readConfirmed(context: EarnContext, vault: VenuePort, landed: Landed): Promise<Booking>;
  /** The intent failed in this transaction: nothing moved. `isRefusal`: because the venue refused. */
  giveBack(tx: Tx, context: Pick<EarnContext, 'clock'>, intent: IntentRow, failure: Failure): Promise<void>;
}

export type Preparation =
  /** In its turn: the least that must come out, from what the venue says at that moment. */
  | { readonly state: 'ready'; readLeast(): Promise<bigint> }
  /** Units moved while they were compared. */
  | { readonly state: 'unclear' }
  | { readonly state: 'held'; readonly reason: string }
  /** Fails without a refusal of the venue. */
  | { readonly state: 'failed'; readonly reason: string }
  /** Another process, or the kind itself, ended the intent. */
  | { readonly state: 'ended' };

export interface Landed {
  readonly intent: IntentRow;
  readonly call: VenueCall;
  readonly attempt: Attempt;
  readonly reference: string;
}

export interface Failure {
  readonly reason: string;
  readonly isRefusal: boolean;
}
