-- why: webhooks: one delivery per event and agent, written with the event; a lease per agent; a log for owners; secrets that overlap while they change

-- What is sent: written once, with its event, and never changed but for the count of redeliveries.
create table webhook_deliveries (
  -- Also the X-Market-Delivery-Id of every attempt.
  id uuid primary key,
  agent_id text not null,
  -- The event's number in the agent's feed. First attempts follow it.
  agent_seq bigint not null,
  event_id bigint not null references events (id),
  event text not null,
  order_id text,
  -- Byte for byte what every attempt sends.
  body text not null,
  is_test boolean not null default false,
  -- How often it was sent anew by hand.
  redeliveries integer not null default 0,
  created_at timestamptz not null default market_now()
);
create unique index webhook_deliveries_seq on webhook_deliveries (agent_id, agent_seq);
create index webhook_deliveries_age on webhook_deliveries using brin (created_at);

-- What is still to be sent. Small rows that come and go, so that sending hardly writes.
create table webhook_queue (
  agent_id text not null,
  agent_seq bigint not null,
  -- Made so far: in all, and since it was last sent anew by hand.
  attempts integer not null default 0,
  tries integer not null default 0 check (tries between 0 and attempts),
  -- Null: the first attempt is to be made, in turn.
  next_at timestamptz,
  primary key (agent_id, agent_seq)
);
create index webhook_queue_waiting on webhook_queue (agent_id, agent_seq) where next_at is null;
create index webhook_queue_retrying on webhook_queue (next_at) where next_at is not null;
create index webhook_queue_retrying_agent on webhook_queue (agent_id, next_at) where next_at is not null;

-- What was tried, as owners read it.
create table webhook_attempts (
  agent_id text not null,
  agent_seq bigint not null,
  number integer not null,
  at timestamptz not null,
  duration_ms integer not null,
  status integer,
  error text,
  -- Null: there was no endpoint any more, so nothing was sent.
  url text,
  signature text,
  -- The first kilobyte of the answer.
  answer text,
  -- On the last one only: delivered, answered with 2xx · failed, the schedule is used up · dropped, there was no endpoint any more
  ends_as text check (ends_as in ('delivered', 'failed', 'dropped')),
  primary key (agent_id, agent_seq, number)
);

-- Who sends to an agent right now. One holder at a time keeps first attempts in order; the lease runs on real time and its number
-- fences off a process that was stopped for longer than that.
create table webhook_lanes (
  agent_id text primary key,
  lease_number integer not null default 0,
  lease_until timestamptz
);

alter table agents
  add column previous_webhook_secret_sealed text,
  add column previous_webhook_secret_until timestamptz,
  add column webhook_extended_retries boolean not null default false,
  -- Since when there is an endpoint: every event after that has a delivery.
  add column endpoint_since timestamptz,
  add check ((previous_webhook_secret_sealed is null) = (previous_webhook_secret_until is null));
update agents set endpoint_since = market_now() where endpoint_url is not null;

create function date_agent_endpoint() returns trigger language plpgsql as $$
begin
  if new.endpoint_url is null then
    new.endpoint_since := null;
  elsif tg_op = 'INSERT' or old.endpoint_url is null then
    new.endpoint_since := market_now();
  end if;
  return new;
end $$;
create trigger agents_endpoint_dated before insert or update of endpoint_url on agents
  for each row execute function date_agent_endpoint();

-- Whoever is sending to the agent looks at its address and secrets again.
create function tell_agent_endpoint() returns trigger language plpgsql as
$$ begin perform pg_notify('market_webhooks', '~' || new.id); return null; end $$;
create trigger agents_endpoint_told after update of endpoint_url, webhook_secret_sealed, previous_webhook_secret_sealed, webhook_extended_retries on agents
  for each row execute function tell_agent_endpoint();
