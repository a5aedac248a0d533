/** The SQL of the job queue. */

import { sql } from 'kysely';
import type pg from 'pg';
import type { Db } from '../db/database.ts';

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

/** Enqueues in the caller's transaction; workers of its queue hear of it when that commits. */
export async function enqueueJobs(tx: Db, jobs: readonly NewJob[]): Promise<void> {
  if (jobs.length === 0) return;
  const rows = jobs.map((job) => ({
    queue: job.queue,
    kind: job.kind,
    payload: job.payload,
    unique_key: job.uniqueKey,
    run_at: job.runAt,
  }));
  await sql`
    with enqueued as (
      insert into jobs (queue, kind, payload, unique_key, run_at)
      select coalesce(j.queue, 'default'), j.kind, j.payload, j.unique_key, coalesce(j.run_at, market_now())
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as j (queue text, kind text, payload jsonb, unique_key text, run_at timestamptz)
      on conflict (unique_key) where unique_key is not null and state = 'ready' do nothing
      returning queue)
    select pg_notify(${JOBS_CHANNEL}, queue) from (select distinct queue from enqueued) as named`.execute(tx);
}

/** Returns the number of expired leases. */
export async function returnExpiredLeases(pool: pg.Pool): Promise<number> {
  const { rowCount } = await pool.query(`update jobs set lease_until = null where state = 'ready' and lease_until < clock_timestamp()`);
  return rowCount ?? 0;
}

export async function claimJobs(pool: pg.Pool, queue: string, limit: number, leaseSeconds: number): Promise<ClaimedJob[]> {
  const { rows } = await pool.query<ClaimedJob>({
    name: 'claim-jobs',
    text: `
      update jobs set attempts = attempts + 1, lease_number = lease_number + 1, lease_until = clock_timestamp() + make_interval(secs => $3)
      where id in (
        select id from jobs
        where queue = $1 and state = 'ready' and lease_until is null and run_at <= market_now()
        order by run_at, id limit $2 for update skip locked)
      returning id, kind, payload, attempts, lease_number as "leaseNumber"`,
    values: [queue, limit, leaseSeconds],
  });
  return rows;
}

export interface Waits {
  /** Milliseconds until something of the queue is due; null when it is empty. */
  readonly toNextJob: number | null;
  /** Milliseconds until a lease of any queue runs out; null when none is held. */
  readonly toNextLeaseEnd: number | null;
}

export async function readWaits(pool: pg.Pool, queue: string): Promise<Waits> {
  const { rows } = await pool.query<Waits>({
    name: 'read-job-waits',
    text: `
      select
        (select extract(epoch from min(run_at) - market_now()) * 1000
         from jobs where queue = $1 and state = 'ready' and lease_until is null)::float8 as "toNextJob",
        (select extract(epoch from min(lease_until) - clock_timestamp()) * 1000
         from jobs where state = 'ready' and lease_until is not null)::float8 as "toNextLeaseEnd"`,
    values: [queue],
  });
  return rows[0] ?? { toNextJob: null, toNextLeaseEnd: null };
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
