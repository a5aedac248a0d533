/** Ends expired connections and deletes those that ended long ago. Tokens do not depend on these jobs: every check reads the expiry. */
import { z } from 'zod';
import { defineJob, type JobDefinition } from '../../../platform/jobs/job.ts';
import { endConnection } from './commands/revoke-connection.ts';
import type { ConnectionsContext } from './connections-context.ts';
import { forgetExpired } from './oauth-repository.ts';
import { forgetEnded, listExpired } from './repository.ts';

const KEPT_DAYS = 60;
const MAX_PER_ROUND = 500;

export function connectionJobs(context: ConnectionsContext): readonly JobDefinition[] {
  const { database } = context;
  return [
    defineJob({
      kind: 'connections.forget',
      payload: z.object({}),
      retryAfterSeconds: [],
      everySeconds: 1800,
      async run() {
        await forgetExpired(database.db);
        await forgetEnded(database.db, KEPT_DAYS);
      },
    }),
    // Ends expired connections, which also stops the agents that they registered.
    defineJob({
      kind: 'connections.expire',
      payload: z.object({}),
      retryAfterSeconds: [],
      everySeconds: 60,
      async run(_payload, { signal }) {
        for (const id of await listExpired(database.db, MAX_PER_ROUND)) {
          if (signal.aborted) return;
          await database.transaction((tx) => endConnection(tx, context, id, 'expired'));
        }
      },
    }),
  ];
}
