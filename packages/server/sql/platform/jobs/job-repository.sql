-- Generated from packages/server/src/platform/jobs/job-repository.ts by `npm run generate`. Do not edit.

-- buryJob
update jobs
set lease_until = null, state = 'dead', last_error = $3
where id = $1 and lease_number = $2;

-- countJobs
select count(*) filter (where state = 'ready')::int as ready
  , count(*) filter (where state = 'dead')::int as dead
  , extract(epoch from market_now() - min(run_at) filter (where state = 'ready' and lease_until is null))::float8 as oldest
from jobs;

-- deleteJob
delete from "jobs"
where "id" = $1 and "lease_number" = $2;

-- enqueueJobs
with enqueued as ( insert into jobs (queue, kind, payload, unique_key, run_at) select coalesce(j.queue, 'default'), j.kind, j.payload, j.unique_key, coalesce(j.run_at, market_now()) from jsonb_to_recordset($1::jsonb) as j (queue text, kind text, payload jsonb, unique_key text, run_at timestamptz) on conflict (unique_key) where unique_key is not null and state = 'ready' do nothing returning queue) select pg_notify('market_jobs', queue)
from (select distinct queue from enqueued) as named;

-- hastenJob
with hastened as ( update jobs set run_at = market_now() where unique_key = $1 and state = 'ready' and lease_until is null returning queue) select pg_notify($2, queue)
from hastened;

-- postponeJob
update jobs
set lease_until = null, run_at = market_now() + make_interval(secs => $3), last_error = $4
where id = $1 and lease_number = $2;

-- renewLeases
update jobs j
set lease_until = clock_timestamp() + make_interval(secs => $3)
from unnest($1::bigint[], $2::int[]) as held (id, lease_number)
where j.id = held.id and j.lease_number = held.lease_number and j.lease_until is not null;

-- repeatJob
update jobs
set run_at = $1, queue = $2, lease_until = null, attempts = 0, last_error = null
where id = $3 and lease_number = $4;

-- returnExpiredLeases
update jobs
set lease_until = null
where state = 'ready' and lease_until < clock_timestamp();

-- returnJobs
update jobs j
set lease_until = null, attempts = j.attempts - 1
from unnest($1::bigint[], $2::int[]) as held (id, lease_number)
where j.id = held.id and j.lease_number = held.lease_number;

-- not shown: exchangeJobs
