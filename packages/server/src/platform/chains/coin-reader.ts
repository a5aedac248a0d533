/** What happened to the treasury's balance of the network's own coin. Only Solana has it. Every call may throw `ChainUnavailable`. */

export interface CoinReader {
  /** Final, successful transactions that touched the treasury's wallet after `cursor`, oldest first. */
  listWalletTransactions(
    cursor: string | null,
    limit: number,
  ): Promise<{ readonly references: readonly string[]; readonly cursor: string | null }>;
  readCoinChange(reference: string): Promise<CoinChange>;
}

export interface CoinChange {
  /** Balance after the transaction less the balance before it, in the smallest unit; network fees included. */
  readonly change: bigint;
  /** What the treasury paid for the transaction itself; 0 when somebody else sent it. */
  readonly fee: bigint;
  /** Every address the transaction names. */
  readonly named: readonly string[];
  readonly blockTime: Date;
}
