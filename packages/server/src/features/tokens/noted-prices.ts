/** Notes the price of each token on record when the price source is read, at most every five minutes. */
import type { Clock } from '../../platform/clock/clock.ts';
import type { Database } from '../../platform/db/database.ts';
import type { PriceSource, TokenPrice } from '../../platform/prices/price-source.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import { notePrices } from './prices-repository.ts';

const SLOT_MS = 5 * 60_000;
/** Decimal places of a stored price. */
export const PRICE_DECIMALS = 12;
const MOST_PICOS = 2n ** 63n - 1n;

export interface NotingContext {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Logger;
}

export function noteReadPrices(source: PriceSource, { database, clock, log }: NotingContext): PriceSource {
  /** The five minutes in which this process noted a token last. */
  const slots = new Map<string, number>();

  async function note(prices: ReadonlyMap<string, TokenPrice | null>): Promise<void> {
    const slot = Math.floor(clock.now().getTime() / SLOT_MS);
    const fresh = [...prices].flatMap(([mint, price]): [string, bigint][] => {
      const picos = price === null || slots.get(mint) === slot ? undefined : toPicos(price.priceUsd);
      return picos === undefined ? [] : [[mint, picos]];
    });
    if (fresh.length === 0) return;
    for (const mint of await notePrices(database.db, new Map(fresh))) slots.set(mint, slot);
  }

  return {
    async read(mints) {
      const prices = await source.read(mints);
      // Answer with the price even if it cannot be stored.
      await note(prices).catch((error: unknown) => log.warn({ err: error }, 'prices could not be noted'));
      return prices;
    },
  };
}

/** Undefined for a price that no row can hold. */
function toPicos(priceUsd: number): bigint | undefined {
  const picos = Math.round(priceUsd * 10 ** PRICE_DECIMALS);
  if (!Number.isFinite(picos) || picos < 1 || picos > Number(MOST_PICOS)) return undefined;
  const exact = BigInt(picos);
  return exact > MOST_PICOS ? undefined : exact;
}
