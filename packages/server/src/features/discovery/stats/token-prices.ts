/** POST /api/market: prices of tokens, from the price source of this deployment. */
import { MarketError } from '@market/contract';
import type { HandlersOf } from '../../../access/call.ts';
import type { PriceSource } from '../../../platform/prices/price-source.ts';
import type { Logger } from '../../../platform/telemetry/logger.ts';
import { canonicalWallet } from '../../../platform/wallets/wallet-address.ts';

export interface TokenPricesContext {
  /** Undefined: this deployment has no price source. */
  readonly prices: PriceSource | undefined;
  readonly log: Logger;
}

const MAX_MINTS = 100;

export function readTokenPrices({ prices, log }: TokenPricesContext): HandlersOf<'stats'>['tokenPrices'] {
  return async ({ mints }) => {
    if (prices === undefined) throw new MarketError('price_source_missing');
    const asked = [...new Set(mints)].slice(0, MAX_MINTS).filter((mint) => canonicalWallet(mint)?.chain === 'solana');
    const found = await prices.read(asked).catch((error: unknown) => {
      log.warn({ err: error }, 'the price source does not answer');
      throw new MarketError('price_source_down');
    });
    return { data: Object.fromEntries(asked.map((mint) => [mint, presentPrice(found.get(mint) ?? null)])) };
  };
}

function presentPrice(price: { readonly priceUsd: number; readonly marketCapUsd: number | null } | null) {
  return price === null ? null : { market_cap_usd: price.marketCapUsd, price_usd: price.priceUsd };
}
