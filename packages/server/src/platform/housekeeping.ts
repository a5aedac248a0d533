/** Deletes expired rows. Correctness never depends on it: every reader checks the expiry itself. */

import { sql } from 'kysely';
import { z } from 'zod';
import type { Db } from './db/database.ts';
import { defineJob, type JobDefinition } from './jobs/job.ts';

export function housekeepingJob(db: Db): JobDefinition {
  return defineJob({
    kind: 'housekeeping',
    payload: z.object({}),
    retryAfterSeconds: [],
    everySeconds: 600,
    async run() {
      await sql`delete from idempotency_keys where expires_at < market_now()`.execute(db);
      await sql`delete from rate_limit_windows where ends_at < market_now()`.execute(db);
      await sql`delete from sessions where expires_at < market_now()`.execute(db);
      // By then every open stream has ended.
      await sql`delete from credential_changes where changed_at < clock_timestamp() - interval '10 minutes'`.execute(db);
      // Signatures carry real time, not market time.
      await sql`delete from seen_signatures where expires_at < clock_timestamp()`.execute(db);
      await sql`delete from addressed_signatures where expires_at < clock_timestamp()`.execute(db);
      await sql`delete from spent_signatures where expires_at < clock_timestamp()`.execute(db);
    },
  });
}
