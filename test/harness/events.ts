/** Helpers for events: waiting until all are handled, delivering them again, and appending rare ones. */
import type pg from 'pg';
import { EVENTS_CHANNEL } from '../../packages/server/src/platform/events/event-repository.ts';
import { until } from '../money/money.ts';

/** Waits until every follower has handled every event. */
export async function untilHandled(pool: pg.Pool): Promise<void> {
  await until('all events being handled', async () => {
    const { rowCount } = await pool.query(
      `select 1 from event_queue union all select 1 from jobs where kind like 'event.%' and state = 'ready' limit 1`,
    );
    return rowCount === 0 ? true : undefined;
  });
}

/** Delivers every event to a follower once more. */
export async function redeliverEvents(pool: pg.Pool, follower: string): Promise<void> {
  await pool.query(
    `insert into event_queue (follower, event_id) select $1, id from events
     where type like 'order.%' or type in ('payout.confirmed', 'payout.parked') or type in ('payment.reverted', 'payment.restored')
     on conflict do nothing`,
    [follower],
  );
  await wakeFollowers(pool);
}

/** Appends an event and queues it for notifications. */
export async function deliverEvent(
  pool: pg.Pool,
  event: { readonly type: string; readonly subjectId: string; readonly data: object },
): Promise<void> {
  await pool.query(
    `with told as (insert into events (type, subject_id, data) values ($1, $2, $3) returning id)
     insert into event_queue (follower, event_id) select 'notifications', id from told`,
    [event.type, event.subjectId, JSON.stringify(event.data)],
  );
  await wakeFollowers(pool);
}

export async function wakeFollowers(pool: pg.Pool): Promise<void> {
  await pool.query('select pg_notify($1, $2)', [EVENTS_CHANNEL, '']);
}
