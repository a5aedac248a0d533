/** Changes of the treasury's balance in the network's own coin. Only Solana has it. Every call may throw `ChainUnavailable`. */
import type { SeenOutgoing } from './seen-outgoing.ts';

export interface CoinReader {
  /** Final, successful transactions that touched the treasury's wallet after `cursor`, oldest first. */
  listWalletTransactions(
    cursor: string | null,
    limit: number,
  ): Promise<{ readonly references: readonly string[]; readonly cursor: string | null }>;
  readCoinChange(reference: string): Promise<CoinChange>;
  /**
   * As `Chain.listOutgoing`, for the network's own coin: `micros` are its smallest units. An empty cursor starts at the first transaction.
   */
  listOutgoingCoins(
    cursor: string | null,
    findKnown: (references: readonly string[]) => Promise<ReadonlySet<string>>,
  ): Promise<{ readonly transfers: readonly SeenOutgoing[]; readonly cursor: string }>;
}

export interface CoinChange {
  /** Balance after the transaction less the balance before it, in the smallest unit; network fees included. */
  readonly change: bigint;
  /** The network fee that the treasury paid for the transaction; 0 when somebody else sent it. */
  readonly fee: bigint;
  /** The parts of `change` that an instruction shows to be creator fees of a token. Other mentions in the transaction prove nothing. */
  readonly creatorFees: readonly ShownCreatorFee[];
  readonly blockTime: Date;
}

export interface ShownCreatorFee {
  readonly mint: string;
  readonly amount: bigint;
  /** The wallet that paid the fee and declared it: valid only if it created the token. Null: the token's launch program paid it. */
  readonly declaredBy: string | null;
}
