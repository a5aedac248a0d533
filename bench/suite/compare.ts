/** Ours and the bare parts take turns, so that whatever else the machine does hits both. */
import { median } from '../load.ts';
import type { Figure } from './bench.ts';

export interface Rounds {
  readonly rounds: number;
  readonly ours: () => Promise<number>;
  readonly limit: () => Promise<number>;
  readonly onRound?: (ours: number, limit: number) => void;
}

/** Medians, and the median of the ratios of each round. */
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

/** Runs `work` so many times, some at once. */
export async function perSecond(times: number, parallel: number, work: (number: number) => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < times) await work(next++);
  };
  await Promise.all(Array.from({ length: parallel }, lane));
  return times / ((performance.now() - startedAt) / 1000);
}
