-- why: what every feature stands on: the market clock, jobs with leases, the event log, stored answers, rate-limit windows

-- The service's own time. The offset is moved by the sandbox only; in production it stays 0. Because the database
-- answers "what time is it", several processes with drifting clocks still agree on deadlines.
create table market_clock (
  only_row boolean primary key default true check (only_row),
  offset_ms bigint not null default 0 check (offset_ms >= 0)
);
insert into market_clock default values;

create function market_now() returns timestamptz language sql stable as
$$ select clock_timestamp() + make_interval(secs => offset_ms / 1000.0) from market_clock $$;

-- Delayed and immediate work. A job is enqueued in the transaction that causes it. `lease_number` is a
-- fencing token: a worker whose lease ran out cannot complete what another has taken over. Leases run on real time, so that
-- moving the market clock never takes work away from a living worker.
create table jobs (
  id bigint generated always as identity primary key,
  queue text not null default 'default',
  kind text not null,
  payload jsonb not null default '{}',
  unique_key text,
  run_at timestamptz not null,
  attempts integer not null default 0,
  lease_number integer not null default 0,
  lease_until timestamptz,
  state text not null default 'ready' check (state in ('ready', 'dead')),
  last_error text,
  created_at timestamptz not null default market_now()
);
create index jobs_due on jobs (queue, run_at) where state = 'ready' and lease_until is null;
create index jobs_leased on jobs (lease_until) where state = 'ready' and lease_until is not null;
create unique index jobs_unique_key on jobs (unique_key) where unique_key is not null and state = 'ready';

-- What happened, append-only, written in the transaction that made it happen.
create table events (
  id bigint generated always as identity primary key,
  type text not null,
  subject_id text not null,
  data jsonb not null default '{}',
  created_at timestamptz not null default market_now()
);
create index events_subject on events (subject_id, id);

create function refuse_event_change() returns trigger language plpgsql as
$$ begin raise exception 'events are append-only'; end $$;
create trigger events_append_only before update or delete on events
  for each row execute function refuse_event_change();

-- Answers kept for 24 hours under the caller's Idempotency-Key. The answer is sealed: it may hold a new API key.
create table idempotency_keys (
  scope text not null,
  key text not null,
  request_hash bytea not null,
  lease_token uuid not null,
  lease_until timestamptz not null,
  status integer,
  sealed_answer text,
  expires_at timestamptz not null,
  primary key (scope, key),
  check ((status is null) = (sealed_answer is null))
);
create index idempotency_keys_expiry on idempotency_keys (expires_at);

-- Counters are allowed to vanish with a database crash; losing them only forgives a few requests.
create unlogged table rate_limit_windows (
  endpoint text not null,
  client text not null,
  hits integer not null,
  ends_at timestamptz not null,
  primary key (endpoint, client)
);
create index rate_limit_windows_expiry on rate_limit_windows (ends_at);
