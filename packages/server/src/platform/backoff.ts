/** Waits between attempts: each longer than the one before, and never the same for two processes. */
import { randomInt } from 'node:crypto';

export interface Backoff {
  readonly firstMs: number;
  readonly longestMs: number;
}

/** `attempt` counts from 0. Between half and all of the doubled wait, so that many processes do not come back at once. */
export function backoffMs(attempt: number, { firstMs, longestMs }: Backoff): number {
  const full = Math.min(longestMs, firstMs * 2 ** Math.min(attempt, 30));
  return full / 2 + randomInt(Math.max(1, Math.ceil(full / 2)));
}
