/** Removes codes, tokens, registrations and connections that ended. Correctness never depends on it: every reader checks the expiry. */
import { z } from 'zod';
import { defineJob, type JobDefinition } from '../../platform/jobs/job.ts';
import type { ConnectionsContext } from './connections-context.ts';
import { forgetExpired } from './oauth-repository.ts';
import { forgetEnded } from './repository.ts';

const KEPT_DAYS = 60;

export function forgetConnectionsJob({ database, spendLimits }: Pick<ConnectionsContext, 'database' | 'spendLimits'>): JobDefinition {
  return defineJob({
    kind: 'connections.forget',
    payload: z.object({}),
    retryAfterSeconds: [],
    everySeconds: 1800,
    async run() {
      await forgetExpired(database.db);
      await database.transaction(async (tx) => {
        const forgotten = await forgetEnded(tx, KEPT_DAYS);
        if (forgotten.length > 0) await spendLimits?.forgetPolicies(tx, forgotten);
      });
    },
  });
}
