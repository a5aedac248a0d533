/** Events and their readers, seen from outside: waiting until all are told, telling again, telling something that seldom happens. */
import type pg from 'pg';
import { JOBS_CHANNEL } from '../../packages/server/src/platform/jobs/job-repository.ts';
import { until } from '../money/money.ts';

/** Everything that happened has reached everybody who listens. */
export async function untilTold(pool: pg.Pool): Promise<void> {
  await until('all events being told', async () => {
    const { rowCount } = await pool.query(`select 1 from jobs where kind like 'event.%' and state = 'ready' limit 1`);
    return rowCount === 0 ? true : undefined;
  });
}

/** Hands a reader every event once more, as after a crash between its work and the end of its job. */
export async function tellAgain(pool: pg.Pool, reader: string): Promise<void> {
  await pool.query(
    `insert into jobs (queue, kind, payload, run_at) select 'default', $1, jsonb_build_object('event_id', id::text), market_now() from events
     where type like 'order.%' or type in ('payout.confirmed', 'payout.parked') or type in ('payment.reverted', 'payment.restored')`,
    [`event.${reader}`],
  );
  await wakeWorkers(pool);
}

/** Appends an event and tells the notifications of it. */
export async function tellEvent(
  pool: pg.Pool,
  event: { readonly type: string; readonly subjectId: string; readonly data: object },
): Promise<void> {
  await pool.query(
    `with told as (insert into events (type, subject_id, data) values ($1, $2, $3) returning id)
     insert into jobs (queue, kind, payload, run_at) select 'default', 'event.notifications', jsonb_build_object('event_id', id::text), market_now() from told`,
    [event.type, event.subjectId, JSON.stringify(event.data)],
  );
  await wakeWorkers(pool);
}

async function wakeWorkers(pool: pg.Pool): Promise<void> {
  await pool.query('select pg_notify($1, $2)', [JOBS_CHANNEL, '']);
}
