/** Prices of the sandbox: the current state of the pools on its own chain. Tokens without a pool have none. */
import type { LocalVenue } from '../swaps/local-venue.ts';
import type { PriceSource, TokenPrice } from './price-source.ts';

export function venuePrices(venue: Pick<LocalVenue, 'readPrice'>): PriceSource {
  return {
    async read(mints) {
      const prices = mints.map(async (mint): Promise<readonly [string, TokenPrice | null]> => {
        return [mint, (await venue.readPrice(mint)) ?? null];
      });
      return new Map(await Promise.all(prices));
    },
  };
}
