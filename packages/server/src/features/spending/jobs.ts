/** Settles reservations whose call did not, releases payments that came back, and deletes old decisions. */
import { spendingLimits } from '@market/contract';
import { z } from 'zod';
import { defineJob, type JobDefinition } from '../../platform/jobs/job.ts';
import { listUndone, listUnsettled } from './purchase-repository.ts';
import { settleSpending } from './settle.ts';
import type { SpendingContext } from './spending-context.ts';
import { clearOldSpendings } from './spending-repository.ts';

/** A call settles its own reservation within seconds. */
const SETTLE_AFTER_SECONDS = 120;
const MOST_PER_ROUND = 500;

export function spendingJobs({ database, log }: Pick<SpendingContext, 'database' | 'log'>): readonly JobDefinition[] {
  return [
    defineJob({
      kind: 'spending.settle',
      payload: z.object({}),
      retryAfterSeconds: [],
      everySeconds: spendingLimits.roundMinutes * 60,
      async run(_payload, { signal }) {
        const undone = (await listUndone(database.db, MOST_PER_ROUND)).map((id) => ({ id, isAbandoned: false }));
        const unsettled = await listUnsettled(database.db, SETTLE_AFTER_SECONDS, MOST_PER_ROUND);
        for (const { id, isAbandoned } of [...undone, ...unsettled]) {
          if (signal.aborted) return;
          try {
            await database.transaction((tx) => settleSpending(tx, id, isAbandoned ? 'abandoned' : 'unknown'));
          } catch (error) {
            log.error({ err: error, spending: id }, 'a reservation could not be settled');
          }
        }
      },
    }),
    defineJob({
      kind: 'spending.clear',
      payload: z.object({}),
      retryAfterSeconds: [],
      everySeconds: 3600,
      run: async () => await database.transaction(clearOldSpendings),
    }),
  ];
}
