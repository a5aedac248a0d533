/** Replaces NOTIFY behind a pooler that does not forward it: polls for new commits with one small statement. */
import type pg from 'pg';
import { createAlarm } from '../alarm.ts';

export interface ChangePoll {
  stop(): Promise<void>;
}

export interface ChangePollOptions {
  readonly pool: pg.Pool;
  readonly onChange: () => void;
  readonly onError: (error: Error) => void;
}

/** Events must reach the streams of another process within 500 ms. */
const POLL_MS = 200;

export function pollForChanges({ pool, onChange, onError }: ChangePollOptions): ChangePoll {
  const alarm = createAlarm();
  let stopped = false;
  let seen: string | undefined;
  let isFailing = false;

  async function look(): Promise<void> {
    try {
      // The snapshot changes with each commit, and reading it writes nothing.
      const { rows } = await pool.query<{ now: string }>('select pg_current_snapshot()::text as now');
      isFailing = false;
      if (seen === rows[0]?.now) return;
      seen = rows[0]?.now;
      if (!stopped) onChange();
    } catch (error) {
      // Reports an outage once, not five times a second.
      if (!isFailing) onError(error as Error);
      isFailing = true;
    }
  }

  const looking = (async () => {
    for (; !stopped; await alarm.wait(POLL_MS)) await look();
  })();
  return {
    async stop() {
      stopped = true;
      alarm.wake();
      await looking;
    },
  };
}
