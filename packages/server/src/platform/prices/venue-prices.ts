/** Prices of the sandbox: what its own venue's pool says at this moment. Other tokens are not traded there, so they have none. */
import type { LocalVenue } from '../swaps/local-venue.ts';
import type { PriceSource, TokenPrice } from './price-source.ts';

export function venuePrices(venue: Pick<LocalVenue, 'readPrice'>): PriceSource {
  return {
    async read(mints) {
      const prices = mints.map(async (mint): Promise<readonly [string, TokenPrice | null]> => {
        const priceUsd = await venue.readPrice(mint);
        return [mint, priceUsd === undefined ? null : { priceUsd, marketCapUsd: null }];
      });
      return new Map(await Promise.all(prices));
    },
  };
}
