/** An account that pays: a treasury, an agent's wallet, the vault of creator fees, the units of a vault of Earn. */
import type { Chain } from '../../../platform/chains/chain.ts';
import type { Tx } from '../../../platform/db/database.ts';

export interface Holder {
  /** The key of the stored cursor; it must never change. */
  readonly name: string;
  /** For people, as in “left the treasury on Base”. */
  readonly label: string;
  readonly chain: Pick<Chain, 'network' | 'awaitLateTransfers'>;
  /** Holders of other networks with this flag can pay the same intents. */
  readonly sharesIntents?: true;
  /** Finds the transfers that left after the cursor. A null cursor: this holder was never compared. */
  compare(cursor: string | null): Promise<HolderComparison>;
}

export interface HolderComparison {
  /** Transfers unknown to the books: they close outflow. */
  readonly strangers: readonly Stranger[];
  /** Transfers that are booked at once and close nothing. The books know whose they are, or the owner of the holder has its key. */
  readonly expected?: readonly Stranger[];
  readonly cursor: string;
}

/** A transfer out on chain that the books do not know. */
export interface Stranger {
  readonly reference: string;
  /** Books the transfer. Returns one sentence for the operator: what it was, and who is affected. */
  book(tx: Tx): Promise<string>;
}
