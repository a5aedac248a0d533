/**
 * Limits how long one request waits for slow or silent nodes, over all its calls. Calls to a prompt node do not count, so a request may
 * still wait for finality. Jobs have no limit: no client waits for them.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

const REQUEST_PATIENCE_MS = 10_000;
/** An answer within this time is not slow. */
const PROMPT_MS = 1_000;
/** With less time left, no node is called. */
const LEAST_MS = 200;

interface Patience {
  remainingMs: number;
}

const current = new AsyncLocalStorage<Patience>();

export function withNodePatience<T>(work: () => Promise<T>): Promise<T> {
  return current.run({ remainingMs: REQUEST_PATIENCE_MS }, work);
}

/** How many milliseconds this request may still wait for a node; undefined when its time is used up. */
export function remainingPatience(): number | undefined {
  const patience = current.getStore();
  if (patience === undefined) return Number.POSITIVE_INFINITY;
  return patience.remainingMs < LEAST_MS ? undefined : patience.remainingMs;
}

export function spendPatience(waitedMs: number, answered: boolean): void {
  const patience = current.getStore();
  if (patience !== undefined) patience.remainingMs -= answered ? Math.max(0, waitedMs - PROMPT_MS) : waitedMs;
}
