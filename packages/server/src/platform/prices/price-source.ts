/** The port for token prices. Deployments choose the adapter; the sandbox has its own. */

export interface TokenPrice {
  readonly priceUsd: number;
  /** Null if the source does not know it. */
  readonly marketCapUsd: number | null;
}

export interface PriceSource {
  /** One entry per mint; null if nobody trades it. Throws when the source does not answer. */
  read(mints: readonly string[]): Promise<ReadonlyMap<string, TokenPrice | null>>;
}

/** The source of a sandbox without chains: nobody trades, so no token has a price. */
export const sandboxPrices: PriceSource = {
  async read(mints) {
    return new Map(mints.map((mint) => [mint, null]));
  },
};
