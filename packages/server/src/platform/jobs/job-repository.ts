/** The SQL of the job queue. */

import { sql } from 'kysely';
import type pg from 'pg';
import type { Db, Tx } from '../db/database.ts';
import { deferred } from '../db/pipelined-driver.ts';

export interface NewJob {
  readonly kind: string;
  readonly payload: unknown;
  readonly queue?: string;
  /** Market time; absent means at once. */
  readonly runAt?: Date;
  /** While a ready job with this key exists, enqueueing again does nothing. */
  readonly uniqueKey?: string;
}

export interface ClaimedJob {
  readonly id: bigint;
  readonly kind: string;
  readonly payload: unknown;
  readonly attempts: number;
  /** Fencing token: changes with every claim. */
  readonly leaseNumber: number;
}

export const JOBS_CHANNEL = 'market_jobs';

/** Enqueues in the caller's transaction; its commit notifies the workers of the queue. */
export async function enqueueJobs(tx: Db, jobs: readonly NewJob[]): Promise<void> {
  if (jobs.length === 0) return;
  const rows = jobs.map((job) => ({
    queue: job.queue,
    kind: job.kind,
    payload: job.payload,
    unique_key: job.uniqueKey,
    run_at: job.runAt,
  }));
  await tx.executeQuery(deferred(ENQUEUE, [JSON.stringify(rows)]));
}

const ENQUEUE = `
  with enqueued as (
    insert into jobs (queue, kind, payload, unique_key, run_at)
    select coalesce(j.queue, 'default'), j.kind, j.payload, j.unique_key, coalesce(j.run_at, market_now())
    from jsonb_to_recordset($1::jsonb) as j (queue text, kind text, payload jsonb, unique_key text, run_at timestamptz)
    on conflict (unique_key) where unique_key is not null and state = 'ready' do nothing
    returning queue)
  select pg_notify('${JOBS_CHANNEL}', queue) from (select distinct queue from enqueued) as named`;

/** Ends expired leases. Returns their number. */
export async function returnExpiredLeases(pool: pg.Pool): Promise<number> {
  const { rowCount } = await pool.query(`update jobs set lease_until = null where state = 'ready' and lease_until < clock_timestamp()`);
  return rowCount ?? 0;
}

/** A finished job that did not complete in its own transaction: it is deleted, or runs again later. */
export interface EndedJob {
  readonly job: ClaimedJob;
  readonly again: Pick<NewJob, 'queue' | 'runAt'> | undefined;
}

export interface Exchange {
  readonly ended: readonly EndedJob[];
  /** Number of further jobs per queue that the worker can run. */
  readonly room: ReadonlyMap<string, number>;
  readonly leaseSeconds: number;
}

export interface Exchanged {
  readonly jobs: readonly (ClaimedJob & { readonly queue: string })[];
  /** Milliseconds until the next job of these queues is due; null when none waits. */
  readonly toNextJob: number | null;
  /** Milliseconds until the first of the ended jobs runs again; null when none does. */
  readonly toNextRepeat: number | null;
  /** Milliseconds until a lease of any queue expires; null when none is held. */
  readonly toNextLeaseEnd: number | null;
}

/** One round trip: deletes finished jobs, claims due ones, and returns the time until the next. */
const EXCHANGE = `
  with ended as (
    delete from jobs j using unnest($1::bigint[], $2::int[]) as d (id, lease_number) where j.id = d.id and j.lease_number = d.lease_number),
  repeated as (
    update jobs j set run_at = r.run_at, queue = r.queue, lease_until = null, attempts = 0, last_error = null
    from unnest($3::bigint[], $4::int[], $5::timestamptz[], $6::text[]) as r (id, lease_number, run_at, queue)
    where j.id = r.id and j.lease_number = r.lease_number),
  room as materialized (select * from unnest($7::text[], $8::int[]) as r (queue, free)),
  due as materialized (
    select d.id from room cross join lateral (
      select j.id from jobs j
      where j.queue = room.queue and j.state = 'ready' and j.lease_until is null and j.run_at <= market_now()
      order by j.run_at, j.id limit room.free for update skip locked) as d),
  claimed as (
    update jobs set attempts = attempts + 1, lease_number = lease_number + 1, lease_until = clock_timestamp() + make_interval(secs => $9)
    where id in (select id from due)
    returning id, queue, kind, payload, attempts, lease_number)
  select
    (select json_agg(json_build_object('id', id::text, 'queue', queue, 'kind', kind, 'payload', payload, 'attempts', attempts,
                                       'leaseNumber', lease_number)) from claimed) as jobs,
    (select extract(epoch from min(w.run_at) - market_now()) * 1000 from room cross join lateral (
       select j.run_at from jobs j
       where j.queue = room.queue and j.state = 'ready' and j.lease_until is null and j.id not in (select id from due)
       order by j.run_at limit 1) as w)::float8 as "toNextJob",
    (select extract(epoch from min(r.run_at) - market_now()) * 1000 from unnest($5::timestamptz[]) as r (run_at))::float8 as "toNextRepeat",
    (select extract(epoch from min(lease_until) - clock_timestamp()) * 1000
     from jobs where state = 'ready' and lease_until is not null)::float8 as "toNextLeaseEnd"`;

export async function exchangeJobs(pool: pg.Pool, { ended, room, leaseSeconds }: Exchange): Promise<Exchanged> {
  const over = ended.filter(({ again }) => again === undefined);
  const again = ended.filter(({ again }) => again !== undefined);
  interface Row extends Omit<Exchanged, 'jobs'> {
    readonly jobs: readonly (Exchanged['jobs'][number] & { readonly id: unknown })[] | null;
  }
  const { rows } = await pool.query<Row>({
    name: 'exchange-jobs',
    text: EXCHANGE,
    values: [
      over.map(({ job }) => job.id),
      over.map(({ job }) => job.leaseNumber),
      again.map(({ job }) => job.id),
      again.map(({ job }) => job.leaseNumber),
      again.map((one) => one.again?.runAt),
      again.map((one) => one.again?.queue),
      [...room.keys()],
      [...room.values()],
      leaseSeconds,
    ],
  });
  const { jobs = null, toNextJob = null, toNextRepeat = null, toNextLeaseEnd = null } = rows[0] ?? {};
  return { jobs: (jobs ?? []).map((job) => ({ ...job, id: BigInt(String(job.id)) })), toNextJob, toNextRepeat, toNextLeaseEnd };
}

export async function renewLeases(pool: pg.Pool, jobs: readonly ClaimedJob[], leaseSeconds: number): Promise<void> {
  await pool.query(
    `update jobs j set lease_until = clock_timestamp() + make_interval(secs => $3)
     from unnest($1::bigint[], $2::int[]) as held (id, lease_number)
     where j.id = held.id and j.lease_number = held.lease_number and j.lease_until is not null`,
    [jobs.map((job) => job.id), jobs.map((job) => job.leaseNumber), leaseSeconds],
  );
}

/** False when another worker holds the job now. */
export async function repeatJob(db: Db, job: ClaimedJob, { queue, runAt }: Pick<NewJob, 'queue' | 'runAt'>): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update jobs set run_at = ${runAt}, queue = ${queue}, lease_until = null, attempts = 0, last_error = null
    where id = ${job.id} and lease_number = ${job.leaseNumber}`.execute(db);
  return numAffectedRows === 1n;
}

/** False when another worker holds the job now. */
export async function deleteJob(db: Db, job: ClaimedJob): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('jobs')
    .where('id', '=', job.id)
    .where('leaseNumber', '=', job.leaseNumber)
    .executeTakeFirst();
  return numDeletedRows === 1n;
}

export async function postponeJob(pool: pg.Pool, job: ClaimedJob, seconds: number, error: string): Promise<void> {
  await pool.query(
    `update jobs set lease_until = null, run_at = market_now() + make_interval(secs => $3), last_error = $4 where id = $1 and lease_number = $2`,
    [job.id, job.leaseNumber, seconds, error],
  );
}

export async function buryJob(pool: pg.Pool, job: ClaimedJob, error: string): Promise<void> {
  await pool.query(`update jobs set lease_until = null, state = 'dead', last_error = $3 where id = $1 and lease_number = $2`, [
    job.id,
    job.leaseNumber,
    error,
  ]);
}

/** Returns unfinished jobs at shutdown, so that other workers need not wait for the lease to expire. The attempt does not count. */
export async function returnJobs(pool: pg.Pool, jobs: readonly ClaimedJob[]): Promise<void> {
  await pool.query(
    `update jobs j set lease_until = null, attempts = j.attempts - 1
     from unnest($1::bigint[], $2::int[]) as held (id, lease_number) where j.id = held.id and j.lease_number = held.lease_number`,
    [jobs.map((job) => job.id), jobs.map((job) => job.leaseNumber)],
  );
}

export async function countJobs(pool: pg.Pool): Promise<{ ready: number; dead: number; oldestDueSeconds: number }> {
  const { rows } = await pool.query<{ ready: number; dead: number; oldest: number | null }>(`
    select count(*) filter (where state = 'ready')::int as ready, count(*) filter (where state = 'dead')::int as dead,
           extract(epoch from market_now() - min(run_at) filter (where state = 'ready' and lease_until is null))::float8 as oldest
    from jobs`);
  const row = rows[0];
  return { ready: row?.ready ?? 0, dead: row?.dead ?? 0, oldestDueSeconds: Math.max(0, row?.oldest ?? 0) };
}

/** Makes a waiting job due now. */
export async function hastenJob(tx: Tx, uniqueKey: string): Promise<void> {
  await sql`
    with hastened as (
      update jobs set run_at = market_now() where unique_key = ${uniqueKey} and state = 'ready' and lease_until is null returning queue)
    select pg_notify(${JOBS_CHANNEL}, queue) from hastened`.execute(tx);
}
