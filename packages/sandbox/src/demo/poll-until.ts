import { setTimeout as sleep } from 'node:timers/promises';

/** Calls `look` until it returns a value; returns undefined after `seconds`. */
export async function pollUntil<T>(look: () => Promise<T | undefined>, seconds: number, everyMs = 500): Promise<T | undefined> {
  for (const deadline = performance.now() + seconds * 1000; performance.now() < deadline; await sleep(everyMs)) {
    const found = await look();
    if (found !== undefined) return found;
  }
  return undefined;
}
