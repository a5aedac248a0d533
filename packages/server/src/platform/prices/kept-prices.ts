/** Keeps prices for five minutes, including missing ones. Concurrent requests for one mint share a call. */
import type { PriceSource, TokenPrice } from './price-source.ts';

const KEPT_MS = 5 * 60_000;
const MOST_KEPT = 20_000;

interface Kept {
  readonly price: Promise<TokenPrice | null>;
  readonly until: number;
}

export function keepPrices(source: PriceSource, now: () => number = () => performance.now()): PriceSource {
  const kept = new Map<string, Kept>();

  function ask(mints: readonly string[]): void {
    if (mints.length === 0) return;
    const answer = source.read(mints);
    const until = now() + KEPT_MS;
    for (const mint of mints) {
      const entry: Kept = { price: answer.then((prices) => prices.get(mint) ?? null), until };
      kept.delete(mint);
      kept.set(mint, entry);
      // A failure is not kept: the next request asks again.
      entry.price.catch(() => {
        if (kept.get(mint) === entry) kept.delete(mint);
      });
    }
    for (const oldest of kept.keys()) {
      if (kept.size <= MOST_KEPT) break;
      kept.delete(oldest);
    }
  }

  return {
    async read(mints) {
      ask(mints.filter((mint) => (kept.get(mint)?.until ?? 0) <= now()));
      const entries = mints.map(async (mint) => [mint, (await kept.get(mint)?.price) ?? null] as const);
      return new Map(await Promise.all(entries));
    },
  };
}
