/** Runs work on every network concurrently: one whose node is unavailable does not hold up the others. */
import type { Chain } from './chain.ts';

/** Waits for all, then throws the first failure. */
export async function onEachChain(chains: Iterable<Chain>, work: (chain: Chain) => Promise<void>): Promise<void> {
  const done = await Promise.allSettled([...chains].map(work));
  const failed = done.find((one) => one.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}
