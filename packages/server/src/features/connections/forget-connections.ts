/** Ends connections that are over, and removes what ended long ago. Whether a token is good never depends on it: every reader checks the expiry. */
import { z } from 'zod';
import { defineJob, type JobDefinition } from '../../platform/jobs/job.ts';
import { endConnection } from './commands/revoke-connection.ts';
import type { ConnectionsContext } from './connections-context.ts';
import { forgetExpired } from './oauth-repository.ts';
import { forgetEnded, listExpired } from './repository.ts';

const KEPT_DAYS = 60;
const MOST_PER_ROUND = 500;

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
    // What a connection registered stops with it.
    defineJob({
      kind: 'connections.expire',
      payload: z.object({}),
      retryAfterSeconds: [],
      everySeconds: 60,
      async run(_payload, { signal }) {
        for (const id of await listExpired(database.db, MOST_PER_ROUND)) {
          if (signal.aborted) return;
          await database.transaction((tx) => endConnection(tx, context, id, 'expired'));
        }
      },
    }),
  ];
}
