/** Removes codes, tokens, registrations and connections that ended. Correctness never depends on it: every reader checks the expiry. */
import { z } from 'zod';
import type { Database } from '../../platform/db/database.ts';
import { defineJob, type JobDefinition } from '../../platform/jobs/job.ts';
import { forgetExpired } from './oauth-repository.ts';
import { forgetEnded } from './repository.ts';

const KEPT_DAYS = 60;

export function forgetConnectionsJob({ db }: Database): JobDefinition {
  return defineJob({
    kind: 'connections.forget',
    payload: z.object({}),
    retryAfterSeconds: [],
    everySeconds: 1800,
    async run() {
      await forgetExpired(db);
      await forgetEnded(db, KEPT_DAYS);
    },
  });
}
