/** Jobs of swaps: follows those on chain until they are final or undone, and forgets old ones. */
import { z } from 'zod';
import type { Database } from '../../../platform/db/database.ts';
import { defineJob, type JobDefinition } from '../../../platform/jobs/job.ts';
import type { ReadLanding } from '../../../platform/swaps/swap-venue.ts';
import { endSwap, forgetQuotes, listLanded } from './repository.ts';

export interface SwapJobsContext {
  readonly database: Database;
  readonly readLanding: ReadLanding | undefined;
}

const FORGET_SECONDS = 3_600;
const FORGOTTEN_AT_ONCE = 1_000;
const FOLLOW_SECONDS = 15;
const FOLLOWED_AT_ONCE = 100;

export function swapJobs({ database: { db }, readLanding }: SwapJobsContext): readonly JobDefinition[] {
  return [
    defineJob({
      kind: 'swap.forget_quotes',
      payload: z.object({}),
      retryAfterSeconds: [],
      everySeconds: FORGET_SECONDS,
      run: () => forgetQuotes(db, FORGOTTEN_AT_ONCE),
    }),
    defineJob({
      kind: 'swap.follow',
      queue: 'chains',
      payload: z.object({}),
      retryAfterSeconds: [],
      everySeconds: FOLLOW_SECONDS,
      async run() {
        if (readLanding === undefined) return;
        for (const { id, signature, isDead } of await listLanded(db, FOLLOWED_AT_ONCE)) {
          const landing = await readLanding(signature);
          if (landing === 'final') await endSwap(db, id, { state: 'done', signature, reason: null });
          // Its bytes are too old to land again.
          else if (landing === 'missing' && isDead)
            await endSwap(db, id, { state: 'failed', signature, reason: 'The network took the swap back. Nothing was swapped.' });
        }
      },
    }),
  ];
}
