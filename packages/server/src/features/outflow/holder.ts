/** An account that pays: a treasury, an agent's wallet, the vault of creator fees, the units of a vault of Earn. */
import type { Chain } from '../../platform/chains/chain.ts';
import type { Tx } from '../../platform/db/database.ts';

export interface Holder {
  /** Names its cursor, for ever. */
  readonly name: string;
  /** For people, as in “left the treasury on Base”. */
  readonly label: string;
  readonly chain: Pick<Chain, 'network' | 'awaitLateTransfers'>;
  /** The same intents can be paid from the holders of other networks that say so, too. */
  readonly sharesIntents?: true;
  /** What left after the cursor and the books do not know. Null: this holder was never compared. */
  compare(cursor: string | null): Promise<HolderComparison>;
}

export interface HolderComparison {
  /** These close outflow. */
  readonly strangers: readonly Stranger[];
  /** These close nothing, and are booked at once: the books know whose they are, or the owner of the holder has its key. */
  readonly expected?: readonly Stranger[];
  readonly cursor: string;
}

/** Something left on chain that the books do not know. */
export interface Stranger {
  readonly reference: string;
  /** Puts it into the books. Returns what it was and who is affected, in one sentence for the operator. */
  book(tx: Tx): Promise<string>;
}
