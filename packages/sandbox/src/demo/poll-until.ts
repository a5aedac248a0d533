import { setTimeout as sleep } from 'node:timers/promises';

/** Looks again and again; undefined when it never came. */
export async function pollUntil<T>(look: () => Promise<T | undefined>, seconds: number, everyMs = 500): Promise<T | undefined> {
  for (const deadline = performance.now() + seconds * 1000; performance.now() < deadline; await sleep(everyMs)) {
    const found = await look();
    if (found !== undefined) return found;
  }
  return undefined;
}
