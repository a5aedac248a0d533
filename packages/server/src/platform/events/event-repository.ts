/** The SQL of the event log: writes events with their numbers, readers and rows, and hands them to followers. */
import { type CompiledQuery, sql } from 'kysely';
import type { Db, Tx } from '../db/database.ts';
import { deferred } from '../db/pipelined-driver.ts';
import type { EventReader, EventRecorder, NewEvent, StoredEvent } from './event.ts';

/** Channel that is notified when a transaction commits events that have a reader or follower. */
export const EVENTS_CHANNEL = 'market_events';

export interface AppendedEvent {
  readonly event: NewEvent;
  readonly followers: readonly string[];
}

/**
 * One statement writes the events, their numbers, their readers, the queue entries of followers, and the rows of recorders. So the counter
 * of a busy feed is locked only for this statement and the commit after it.
 */
export function composeAppend(recorders: readonly EventRecorder[]): (events: readonly AppendedEvent[]) => CompiledQuery {
  const text = composeText(recorders);
  return (events) => deferred(text, [JSON.stringify(events.map((appended, n) => rowOf(appended, n, recorders)))]);
}

function rowOf({ event, followers }: AppendedEvent, n: number, recorders: readonly EventRecorder[]): Record<string, unknown> {
  const { type, subjectId, agentId, data, context = {} } = event;
  const concerned = recorders.filter(({ types }) => types.includes(type));
  return {
    n,
    type,
    subject_id: subjectId,
    agent_id: agentId ?? null,
    data,
    context,
    readers: readersOf(event),
    followers,
    ...Object.fromEntries(concerned.map((recorder) => [recorder.name, recorder.rowOf(event)])),
  };
}

function readersOf({ agentId, readers }: NewEvent): readonly EventReader[] {
  return [...new Set<EventReader>([...(agentId === undefined ? [] : [`agent:${agentId}` as const]), ...(readers ?? [])])];
}

function composeText(recorders: readonly EventRecorder[]): string {
  const columns = recorders.map(({ name }) => `, ${name} jsonb`).join('');
  const parts = recorders.map(({ parts }) => `, ${parts}`).join('');
  const notices = recorders.map(({ notices }) => ` union all ${notices}`).join('');
  return `
    with asked as materialized (
      select * from jsonb_to_recordset($1::jsonb) as a
        (n int, type text, subject_id text, agent_id text, data jsonb, context jsonb, readers text[], followers text[]${columns})),
    read_by as materialized (
      select a.n, r.reader, count(*) over feed as total, case when starts_with(r.reader, 'agent:') then row_number() over (feed order by a.n) end as nth
      from asked a cross join lateral unnest(a.readers) as r (reader) window feed as (partition by r.reader)),
    -- Feeds are always locked in the same order, so that two transactions never wait for each other.
    counted as (
      insert into event_counters as c (reader, last_seq)
      select reader, max(total) from read_by where nth is not null group by reader order by reader collate "C"
      on conflict (reader) do update set last_seq = c.last_seq + excluded.last_seq
      returning reader, last_seq),
    numbered as materialized (select r.n, r.reader, c.last_seq - r.total + r.nth as seq from read_by r left join counted c using (reader)),
    -- Ids are drawn when the counters are locked, so that they rise with the numbers.
    appended as materialized (
      select a.*, nextval('events_id_seq') as id, own.seq as agent_seq
      from asked a left join numbered own on own.n = a.n and own.reader = 'agent:' || a.agent_id
      where (select count(*) from counted) >= 0 order by a.n),
    written as (
      insert into events (id, type, subject_id, agent_id, agent_seq, data, context) overriding system value
      select id, type, subject_id, agent_id, agent_seq, data, context from appended),
    addressed as (insert into event_readers (reader, event_id, seq) select r.reader, a.id, r.seq from numbered r join appended a using (n)),
    queued as (
      insert into event_queue (follower, event_id) select f.follower, a.id from appended a cross join lateral unnest(a.followers) as f (follower))
    ${parts}
    select pg_notify(channel, payload) from (
      select '${EVENTS_CHANNEL}' as channel, '' as payload from asked having bool_or(cardinality(readers) + cardinality(followers) > 0)
      ${notices}) as notice`;
}

/** The follower's queued events, oldest first. Also empty while another process holds the follower's lease. */
export async function takeQueued(tx: Tx, follower: string, limit: number): Promise<StoredEvent[]> {
  const { rows } = await sql<StoredEvent>`
    with lease as materialized (select pg_try_advisory_xact_lock(hashtextextended(${`follower ${follower}`}, 0)) as held),
    next as materialized (
      select event_id from event_queue where follower = ${follower} and (select held from lease) order by event_id limit ${limit}),
    -- Only what was really deleted: another process may have ended with some of them since this statement began.
    taken as (delete from event_queue q using next where q.follower = ${follower} and q.event_id = next.event_id returning q.event_id)
    select e.id, e.type, e.subject_id as "subjectId", e.agent_id as "agentId", e.data, e.context, e.created_at as "createdAt"
    from taken join events e on e.id = taken.event_id order by e.id`.execute(tx);
  return rows;
}

/** Followers that have queued events. */
export async function findAwaited(db: Db, followers: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ follower: string }>`
    select f.follower from unnest(${[...followers]}::text[]) as f (follower)
    where exists (select 1 from event_queue q where q.follower = f.follower)`.execute(db);
  return rows.map(({ follower }) => follower);
}

export async function findEvent(db: Db, id: bigint): Promise<StoredEvent> {
  const row = await db
    .selectFrom('events')
    .select(['id', 'type', 'subjectId', 'agentId', 'data', 'context', 'createdAt'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return { ...row, data: row.data as Record<string, unknown>, context: row.context as Record<string, unknown> };
}
