/** Pauses between attempts: they grow, and differ between processes. */
import { randomInt } from 'node:crypto';

export interface Backoff {
  readonly firstMs: number;
  readonly longestMs: number;
}

/** `attempt` counts from 0. A random pause between half and all of the doubled one, so that processes do not return all at once. */
export function backoffMs(attempt: number, { firstMs, longestMs }: Backoff): number {
  const full = Math.min(longestMs, firstMs * 2 ** Math.min(attempt, 30));
  return full / 2 + randomInt(Math.max(1, Math.ceil(full / 2)));
}
