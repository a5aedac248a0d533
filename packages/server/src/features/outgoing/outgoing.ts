/** An intent as its purpose describes it. Purposes: payouts, movements of agents' wallets, payouts of creator fees, calls of Earn. */
import type { Chain, OutgoingTransfer, SignedTransfer, TransferOutcome } from '../../platform/chains/chain.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Attempt } from './attempt-repository.ts';
import type { NextStep } from './next-step.ts';

/**
 * Writes the postings of a purpose and moves its intent, in the transaction that ends the attempt. False: another process moved the intent.
 */
export type Booking = (tx: Tx) => Promise<boolean>;

export interface Outgoing {
  /** Id of the intent. */
  readonly id: string;
  readonly chain: Chain;
  readonly transfer: OutgoingTransfer;
  /** The account whose transactions are signed one after the other. */
  readonly turn: string;
  /** Called in the signing turn: reads the stored intent again and signs it, or returns when to try again. */
  sign(): Promise<SignedTransfer | NextStep>;
  /** Bytes with a higher fee, as `Chain.replaceTransfer`. Left out where bytes land or expire. */
  replace?(stuck: SignedTransfer): Promise<SignedTransfer | undefined>;
  /** Instead of `Chain.readOutcome`, for bytes that do more than pay. */
  readOutcome?(signed: SignedTransfer): Promise<TransferOutcome>;
  /** The last check, in the transaction that stores the bytes. False: they are never sent. */
  mayStore?(tx: Tx): Promise<boolean>;
  /** Reads what the books need before the transaction begins. */
  onConfirmed(attempt: Attempt, reference: string): Promise<Booking>;
  /** Undefined: the attempt stays open and is looked at again. */
  onFailed(attempt: Attempt, reason: string): Promise<Booking | undefined>;
}
