/** The value of units and shares in USDC. */
import type { Book } from '@market/contract';
import type { VenueReading } from '../../platform/chains/yield-venues.ts';

export type Price = Pick<VenueReading, 'pricePerUnit' | 'unitDecimals'>;

const PRICE_SCALE = 10n ** 12n;

/** micro-USDC, rounded down. */
export function valueOfUnits(units: bigint, { pricePerUnit, unitDecimals }: Price): bigint {
  return (units * pricePerUnit) / (PRICE_SCALE * 10n ** BigInt(unitDecimals));
}

const NANO_PER_PRICE = 10n ** 9n;

/** Nano-USDC per whole share. In an empty vault a share costs one unit. */
export function sharePriceOf({ totalShares, totalUnits }: Book, { pricePerUnit }: Pick<Price, 'pricePerUnit'>): bigint {
  const price = totalShares === 0n ? pricePerUnit : (pricePerUnit * totalUnits) / totalShares;
  return price / NANO_PER_PRICE;
}
