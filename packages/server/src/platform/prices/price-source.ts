/** The port for prices of tokens. Deployments choose the adapter; the sandbox has one of its own. */

export interface TokenPrice {
  readonly priceUsd: number;
  /** Null where the source does not know it. */
  readonly marketCapUsd: number | null;
}

export interface PriceSource {
  /** One entry per mint; null where nobody trades it. Throws when the source does not answer. */
  read(mints: readonly string[]): Promise<ReadonlyMap<string, TokenPrice | null>>;
}

/** A sandbox without chains: nothing is traded, so no token has a price. */
export const sandboxPrices: PriceSource = {
  async read(mints) {
    return new Map(mints.map((mint) => [mint, null]));
  },
};
