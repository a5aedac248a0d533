/** Measures our code and the bare parts in turn, so that other load on the machine hits both. */
import { median } from '../load.ts';
import type { Figure } from './bench.ts';

export interface Rounds {
  readonly rounds: number;
  readonly ours: () => Promise<number>;
  readonly limit: () => Promise<number>;
  readonly onRound?: (ours: number, limit: number) => void;
}

/** Returns the median of each side, and the median of the rounds' ratios. */
export async function compare({
  rounds,
  ours,
  limit,
  onRound,
}: Rounds): Promise<Figure & { readonly limit: number; readonly ratio: number }> {
  const pairs: (readonly [number, number])[] = [];
  for (let round = 0; round < rounds; round++) {
    const pair = [await ours(), await limit()] as const;
    onRound?.(...pair);
    pairs.push(pair);
  }
  return {
    ours: median(pairs.map(([mine]) => mine)),
    limit: median(pairs.map(([, theirs]) => theirs)),
    ratio: median(pairs.map(([mine, theirs]) => mine / theirs)),
  };
}

/** Runs `work` `times` times, `parallel` of them at once; returns runs per second. */
export async function perSecond(times: number, parallel: number, work: (number: number) => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < times) await work(next++);
  };
  await Promise.all(Array.from({ length: parallel }, worker));
  return times / ((performance.now() - startedAt) / 1000);
}
