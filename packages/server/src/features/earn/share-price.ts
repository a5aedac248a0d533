/** What the units of a venue and the shares of a vault are worth in USDC. */
import type { Book } from '@market/contract';
import type { VenueReading } from '../../platform/chains/yield-venues.ts';

export type Price = Pick<VenueReading, 'pricePerUnit' | 'unitDecimals'>;

const PRICE_SCALE = 10n ** 12n;

/** micro-USDC, rounded down. */
export function valueOfUnits(units: bigint, { pricePerUnit, unitDecimals }: Price): bigint {
  return (units * pricePerUnit) / (PRICE_SCALE * 10n ** BigInt(unitDecimals));
}

const NANO_PER_PRICE = 10n ** 9n;

/** Nano-USDC per whole share. Without holders a share will cost a unit. */
export function sharePriceOf({ totalShares, totalUnits }: Book, { pricePerUnit }: Pick<Price, 'pricePerUnit'>): bigint {
  const price = totalShares === 0n ? pricePerUnit : (pricePerUnit * totalUnits) / totalShares;
  return price / NANO_PER_PRICE;
}
