/** Polls, quickly at first, until there is an answer or the time is over. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ChainUnavailable } from '../chains/chain.ts';

const FIRST_PAUSE_MS = 25;
const LONGEST_PAUSE_MS = 500;

/** Asks again when the node is unavailable. A call still running at the end is abandoned. */
export async function pollUntil<T>(limitMs: number, look: () => Promise<T | undefined>): Promise<T | undefined> {
  const deadline = performance.now() + limitMs;
  const ending = new AbortController();
  const timeIsUp = sleep(limitMs, undefined, { signal: ending.signal }).catch(() => undefined);
  try {
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      const found = await Promise.race([lookOnce(look), timeIsUp]);
      if (found !== undefined) return found;
      const leftMs = deadline - performance.now();
      if (leftMs <= 0) return undefined;
      await sleep(Math.min(pauseMs, leftMs));
    }
  } finally {
    ending.abort();
  }
}

async function lookOnce<T>(look: () => Promise<T | undefined>): Promise<T | undefined> {
  try {
    return await look();
  } catch (error) {
    if (error instanceof ChainUnavailable) return undefined;
    throw error;
  }
}
