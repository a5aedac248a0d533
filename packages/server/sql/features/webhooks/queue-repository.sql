-- Generated from packages/server/src/features/webhooks/queue-repository.ts by `npm run generate`. Do not edit.

-- NOTIFY_SENDERS
select 'market_webhooks', agent_id
from senders;

-- claimLanes
update webhook_lanes
set lease_number = lease_number + 1, lease_until = clock_timestamp() + make_interval(secs => $1)
where agent_id in ( select agent_id from webhook_lanes where agent_id = any($2) and (lease_until is null or lease_until < clock_timestamp()) for update skip locked)
returning agent_id, lease_number;

-- countOpenDeliveries
select count(*)::int as open
from webhook_queue;

-- loadRetries
with n as materialized (select market_now() as now) select d.id
  , d.agent_id as "agentId"
  , d.agent_seq::float8 as seq
  , d.event
  , d.order_id as "orderId"
  , d.body
  , d.is_test as "isTest"
  , date_part('epoch', d.created_at) * 1000 as "createdAtMs"
  , d.redeliveries
  , q.attempts
  , q.tries
  , date_part('epoch', q.next_at - n.now) * 1000 as "dueInMs"
from n
cross
join unnest($1::text[]) as l (agent_id)
cross
join lateral ( select * from webhook_queue w where w.agent_id = l.agent_id and w.next_at < n.now + make_interval(secs => $4) and w.agent_id || ' ' || w.agent_seq <> all($2::text[]) order by w.next_at limit $3) q
join webhook_deliveries d on d.agent_id = q.agent_id and d.agent_seq = q.agent_seq;

-- loadTargets
select id as "agentId"
  , name
  , endpoint_url as "endpointUrl"
  , webhook_secret_sealed as "secretSealed"
  , previous_webhook_secret_sealed as "previousSecretSealed"
  , previous_webhook_secret_until as "previousSecretUntil"
  , webhook_extended_retries as "extendedRetries"
  , owner_wallet as "ownerWallet"
  , owner_user_id as "ownerUserId"
from agents
where id = any($1);

-- loadWaiting
select d.id
  , d.agent_id
  , d.agent_seq::float8
  , d.event
  , d.order_id
  , d.body
  , d.is_test
  , date_part('epoch', d.created_at) * 1000
from unnest($1::text[], $2::bigint[]) as l (agent_id, last_seq)
cross
join lateral ( select w.agent_id, w.agent_seq from webhook_queue w where w.agent_id = l.agent_id and w.next_at is null and w.agent_seq > l.last_seq order by w.agent_seq limit $3) q
join webhook_deliveries d on d.agent_id = q.agent_id and d.agent_seq = q.agent_seq;

-- lookAtQueue
with recursive waiting as ( (select agent_id from webhook_queue where next_at is null order by agent_id limit 1) union all select (select q.agent_id from webhook_queue q where q.next_at is null and q.agent_id > w.agent_id order by q.agent_id limit 1) from waiting w where w.agent_id is not null)
  , due as ( select agent_id from waiting where agent_id is not null union select agent_id from webhook_queue where next_at <= market_now()) select array( select agent_id from due join webhook_lanes l using (agent_id) where l.lease_until is null or l.lease_until < clock_timestamp() limit $1) as neglected
  , (select extract(epoch from min(next_at) - market_now()) * 1000 from webhook_queue where next_at > market_now())::float8 as "nextMs"
  , not exists (select 1 from webhook_queue) as "isEmpty";

-- releaseLanes
update webhook_lanes l
set lease_until = null
from unnest($1::text[], $2::int[]) as held (agent_id, lease_number)
where l.agent_id = held.agent_id and l.lease_number = held.lease_number;

-- renewLanes
update webhook_lanes l
set lease_until = clock_timestamp() + make_interval(secs => $1)
from unnest($2::text[], $3::int[]) as held (agent_id, lease_number)
where l.agent_id = held.agent_id and l.lease_number = held.lease_number
returning l.agent_id;

-- writeOutcomes
with held as materialized ( select o.*, to_timestamp(o.next_ms / 1000) as next_at, to_timestamp(o.at_ms / 1000) as at from unnest($1::text[], $2::bigint[], $3::integer[], $4::integer[], $5::text[], $6::float8[], $7::float8[], $8::integer[], $9::integer[], $10::text[], $11::text[], $12::text[], $13::text[]) as o (agent_id, agent_seq, lease_number, before, ends_as, next_ms, at_ms, duration_ms, status, error, url, signature, answer) join webhook_lanes l on l.agent_id = o.agent_id and l.lease_number = o.lease_number)
  , ended as ( delete from webhook_queue q using held o where o.next_at is null and q.agent_id = o.agent_id and q.agent_seq = o.agent_seq and q.attempts = o.before returning o.*)
  , postponed as ( update webhook_queue q set attempts = q.attempts + 1, tries = q.tries + 1, next_at = o.next_at from held o where o.next_at is not null and q.agent_id = o.agent_id and q.agent_seq = o.agent_seq and q.attempts = o.before returning o.*) insert into webhook_attempts (agent_id, agent_seq, number, at, duration_ms, status, error, url, signature, answer, ends_as) select o.agent_id
  , o.agent_seq
  , o.before + 1
  , o.at
  , o.duration_ms
  , o.status
  , o.error
  , o.url
  , o.signature
  , o.answer
  , o.ends_as
from (select * from ended union all select * from postponed) o;

-- writeOutcomesIn
with held as materialized ( select o.*, to_timestamp(o.next_ms / 1000) as next_at, to_timestamp(o.at_ms / 1000) as at from unnest($1::text[], $2::bigint[], $3::integer[], $4::integer[], $5::text[], $6::float8[], $7::float8[], $8::integer[], $9::integer[], $10::text[], $11::text[], $12::text[], $13::text[]) as o (agent_id, agent_seq, lease_number, before, ends_as, next_ms, at_ms, duration_ms, status, error, url, signature, answer) join webhook_lanes l on l.agent_id = o.agent_id and l.lease_number = o.lease_number)
  , ended as ( delete from webhook_queue q using held o where o.next_at is null and q.agent_id = o.agent_id and q.agent_seq = o.agent_seq and q.attempts = o.before returning o.*)
  , postponed as ( update webhook_queue q set attempts = q.attempts + 1, tries = q.tries + 1, next_at = o.next_at from held o where o.next_at is not null and q.agent_id = o.agent_id and q.agent_seq = o.agent_seq and q.attempts = o.before returning o.*) insert into webhook_attempts (agent_id, agent_seq, number, at, duration_ms, status, error, url, signature, answer, ends_as) select o.agent_id
  , o.agent_seq
  , o.before + 1
  , o.at
  , o.duration_ms
  , o.status
  , o.error
  , o.url
  , o.signature
  , o.answer
  , o.ends_as
from (select * from ended union all select * from postponed) o
returning agent_id, agent_seq::float8 as seq;
