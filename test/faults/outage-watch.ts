/** Clients that keep asking during an outage, and the footprint of the process they ask. */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { call, type Reply } from '../harness/http.ts';
import type { ServerProcess } from '../harness/market.ts';
import { agentBody } from '../harness/people.ts';

export interface Load {
  readonly replies: readonly Reply[];
  /** Requests without any answer. */
  readonly unanswered: readonly unknown[];
  stop(): Promise<void>;
}

/** Clients that read and write in turns, almost without a pause. */
export function putUnderLoad(url: string, clients = 6): Load {
  const replies: Reply[] = [];
  const unanswered: unknown[] = [];
  let isRunning = true;
  const work = async (): Promise<void> => {
    while (isRunning) {
      try {
        replies.push(await call(url, 'POST /api/agents/register', { body: agentBody() }), await call(url, 'GET /api/agents'));
      } catch (error) {
        unanswered.push(error);
      }
      // A refused client asks less often: minutes of refusals prove no more than a few per second.
      await sleep(replies.at(-1)?.status === 503 ? 250 : 40);
    }
  };
  const workers = Array.from({ length: clients }, work);
  return {
    replies,
    unanswered,
    async stop() {
      isRunning = false;
      await Promise.all(workers);
    },
  };
}

export interface Footprint {
  readonly descriptors: number;
  readonly residentMiB: number;
}

/** Open file descriptors and memory of a process; Linux only, like the tests that use it. */
export function footprintOf({ child }: ServerProcess): Footprint {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
  return {
    descriptors: readdirSync(`/proc/${child.pid}/fd`).length,
    residentMiB: Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024,
  };
}

/** Repeats `look` until it is true; returns the time that took, or undefined after `limitMs`. */
export async function timeUntil(limitMs: number, look: () => Promise<boolean>): Promise<number | undefined> {
  const startedAt = performance.now();
  while (performance.now() - startedAt < limitMs) {
    if (await look().catch(() => false)) return performance.now() - startedAt;
    await sleep(25);
  }
  return undefined;
}
