/** Work on every network side by side: one whose node is away keeps the others from nothing. */
import type { Chain } from './chain.ts';

/** Throws the first failure when all are done. */
export async function onEachChain(chains: Iterable<Chain>, work: (chain: Chain) => Promise<void>): Promise<void> {
  const done = await Promise.allSettled([...chains].map(work));
  const failed = done.find((one) => one.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}
