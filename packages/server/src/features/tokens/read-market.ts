/**
 * Price and supply of a token, from the price source and the chain. If a source does not answer, its figures are missing and the answer is
 * sent.
 */
import { createKeptReadings } from '../../platform/prices/kept-readings.ts';
import type { TokenPrice } from '../../platform/prices/price-source.ts';
import type { TokensContext } from './tokens-context.ts';

export interface TokenMarket {
  readonly price: TokenPrice | null;
  readonly supply: { readonly units: bigint; readonly decimals: number } | null;
}

export const NO_MARKET: TokenMarket = { price: null, supply: null };

/** Anybody may read any agent's token, so nodes are asked once a minute per token. */
const SUPPLY_KEPT_MS = 60_000;
const supplies = createKeptReadings<TokenMarket['supply']>(SUPPLY_KEPT_MS);

export async function readMarket({ chains, prices, log }: TokensContext, mint: string): Promise<TokenMarket> {
  const tokens = chains.get('solana-mainnet')?.tokens;
  const readSupply = async (): Promise<TokenMarket['supply']> => {
    const facts = await tokens?.readMint(mint);
    return facts === undefined ? null : { units: facts.supply, decimals: facts.decimals };
  };
  const orNull = (error: unknown): null => {
    log.info({ err: error, mint }, 'figures of a token are missing');
    return null;
  };
  const [price, supply] = await Promise.all([
    prices?.read([mint]).then((found) => found.get(mint) ?? null, orNull) ?? null,
    tokens === undefined ? null : supplies.of(tokens, mint, readSupply).catch(orNull),
  ]);
  return { price, supply };
}
