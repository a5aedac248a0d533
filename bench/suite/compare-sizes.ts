/** Measures a handler against bare SQL in markets of several sizes, side by side. */
import type { TestMarket } from '../../test/harness/market.ts';
import { median, quantile } from '../load.ts';

/** Asks one question and returns a digest of the answer; handler and bare SQL must return the same. */
export type Ask<Q> = (question: Q) => Promise<string>;

export interface SizedMarket {
  readonly size: number;
  readonly market: TestMarket;
}

/** Milliseconds, block by block. */
type Samples = readonly (readonly number[])[];

export interface Figures {
  readonly size: number;
  readonly ours: Samples;
  readonly bare: Samples;
}

/** Sizes, handler and bare SQL alternate, so that other load on the machine hits them alike. */
export async function measure<Q>(
  markets: readonly SizedMarket[],
  questions: readonly Q[],
  { askHandler, askBareSql }: { readonly askHandler: (market: TestMarket) => Ask<Q>; readonly askBareSql: (market: TestMarket) => Ask<Q> },
  counts: { readonly blocks: number; readonly rounds: number },
): Promise<Figures[]> {
  const entries = markets.map(({ size, market }) => ({
    size,
    ask: askHandler(market),
    askBare: askBareSql(market),
    ours: [] as number[][],
    bare: [] as number[][],
  }));
  // The first block warms the caches and does not count.
  for (let block = -1; block < counts.blocks; block++) {
    for (const entry of entries) for (const samples of [entry.ours, entry.bare]) samples[Math.max(block, 0)] = [];
    for (let round = 0; round < (block < 0 ? 1 : counts.rounds); round++) {
      for (const question of questions) {
        for (const entry of entries) {
          const ours = await timed(() => entry.ask(question));
          const bare = await timed(() => entry.askBare(question));
          if (ours.answer !== bare.answer)
            throw new Error(`the answers differ: ${JSON.stringify(question)}: ${ours.answer} and ${bare.answer}`);
          entry.ours.at(-1)?.push(ours.ms);
          entry.bare.at(-1)?.push(bare.ms);
        }
      }
    }
  }
  return entries;
}

/** The median of the blocks' ratios, so that one busy moment of the machine does not decide. */
export function ratioOf({ ours, bare }: Figures, q: number): number {
  return median(ours.map((samples, block) => quantileOf(samples, q) / quantileOf(bare[block] ?? [], q)));
}

export function p50(samples: Samples): number {
  return quantileOf(samples.flat(), 0.5);
}

export function quantileOf(samples: readonly number[], q: number): number {
  return quantile(
    [...samples].sort((a, b) => a - b),
    q,
  );
}

export function shown(samples: Samples): string {
  return `p50 ${p50(samples).toFixed(2)} ms p99 ${quantileOf(samples.flat(), 0.99).toFixed(2)} ms`;
}

async function timed(work: () => Promise<string>): Promise<{ ms: number; answer: string }> {
  const started = performance.now();
  const answer = await work();
  return { ms: performance.now() - started, answer };
}
