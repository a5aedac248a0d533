/** Prices from a DEX aggregator: GET `<url>/<mint>,<mint>` answers with the pairs that trade these mints, the most liquid first. */
import { z } from 'zod';
import type { PriceSource, TokenPrice } from './price-source.ts';

const MOST_PER_CALL = 30;
const PATIENCE_MS = 5_000;
const MOST_BYTES = 2_000_000;

const amount = z.coerce.number().nonnegative();
const pair = z.object({
  baseToken: z.object({ address: z.string() }),
  priceUsd: amount.nullish(),
  marketCap: amount.nullish(),
  fdv: amount.nullish(),
});
const pairs = z.union([z.array(pair), z.object({ pairs: z.array(pair).nullable() }).transform((answer) => answer.pairs ?? [])]);

export function dexPrices(url: string): PriceSource {
  return {
    async read(mints) {
      const prices = new Map<string, TokenPrice | null>(mints.map((mint) => [mint, null]));
      const calls: string[][] = [];
      for (let at = 0; at < mints.length; at += MOST_PER_CALL) calls.push(mints.slice(at, at + MOST_PER_CALL));
      const answers = await Promise.all(calls.map((call) => readPairs(`${url}/${call.map(encodeURIComponent).join(',')}`)));
      for (const { baseToken, priceUsd, marketCap, fdv } of answers.flat()) {
        // The first pair counts, as it is the most liquid.
        if (priceUsd === undefined || priceUsd === null || prices.get(baseToken.address) !== null) continue;
        prices.set(baseToken.address, { priceUsd, marketCapUsd: marketCap ?? fdv ?? null });
      }
      return prices;
    },
  };
}

async function readPairs(url: string): Promise<z.output<typeof pairs>> {
  const response = await fetch(url, {
    headers: { accept: 'application/json' },
    redirect: 'error',
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  if (!response.ok) throw new Error(`the price source answered ${response.status}`);
  return pairs.parse(JSON.parse(await readText(response)));
}

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > MOST_BYTES) throw new Error('the price source sent too much');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
