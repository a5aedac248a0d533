-- Generated from packages/server/src/features/webhooks/log-repository.ts by `npm run generate`. Do not edit.

-- countOpenOf
select count(*)::int as "count"
from "webhook_queue"
where "agent_id" = $1;

-- deleteFinishedBefore
with old as ( delete from webhook_deliveries d where created_at < market_now() - make_interval(days => $1) and not exists (select 1 from webhook_queue q where q.agent_id = d.agent_id and q.agent_seq = d.agent_seq) returning agent_id, agent_seq) delete from webhook_attempts a using old
where a.agent_id = old.agent_id and a.agent_seq = old.agent_seq;

-- findDelivery
select "d".*
  , case
  when q.agent_id is null then coalesce(e.ends_as, 'dropped')
  when q.next_at is null then 'waiting' else 'retrying' end as "state"
  , q.next_at as "next_at"
  , e.at + make_interval(secs => e.duration_ms / 1000.0) as "finished_at"
from "webhook_deliveries" as "d"
left
join "webhook_queue" as "q" on "q"."agent_id" = "d"."agent_id" and "q"."agent_seq" = "d"."agent_seq"
left
join "webhook_attempts" as "e" on "e"."agent_id" = "d"."agent_id"
  and "e"."agent_seq" = "d"."agent_seq"
  and "e"."ends_as" is not null
where "d"."agent_id" = $1 and "d"."id" = $2;

-- listAttempts
select *
from "webhook_attempts"
where "agent_id" = $1 and "agent_seq" in ($2)
order by "agent_seq", "number";

-- listDeliveries
select "d".*
  , case
  when q.agent_id is null then coalesce(e.ends_as, 'dropped')
  when q.next_at is null then 'waiting' else 'retrying' end as "state"
  , q.next_at as "next_at"
  , e.at + make_interval(secs => e.duration_ms / 1000.0) as "finished_at"
from "webhook_deliveries" as "d"
left
join "webhook_queue" as "q" on "q"."agent_id" = "d"."agent_id" and "q"."agent_seq" = "d"."agent_seq"
left
join "webhook_attempts" as "e" on "e"."agent_id" = "d"."agent_id"
  and "e"."agent_seq" = "d"."agent_seq"
  and "e"."ends_as" is not null
where "d"."agent_id" = $1
  and (concat_ws('', d.id, d.event, d.order_id, (select string_agg(concat_ws(' ', w.url, w.error, w.answer), ' ') from webhook_attempts w where w.agent_id = d.agent_id and w.agent_seq = d.agent_seq and w.url is not null)) ilike $2)
  and case
  when q.agent_id is null then coalesce(e.ends_as, 'dropped')
  when q.next_at is null then 'waiting' else 'retrying' end = $3
  and "d"."event" = $4
order by d.agent_seq desc
limit $5 offset $6;
select count(*)::int as "count"
from "webhook_deliveries" as "d"
left
join "webhook_queue" as "q" on "q"."agent_id" = "d"."agent_id" and "q"."agent_seq" = "d"."agent_seq"
left
join "webhook_attempts" as "e" on "e"."agent_id" = "d"."agent_id"
  and "e"."agent_seq" = "d"."agent_seq"
  and "e"."ends_as" is not null
where "d"."agent_id" = $1
  and (concat_ws('', d.id, d.event, d.order_id, (select string_agg(concat_ws(' ', w.url, w.error, w.answer), ' ') from webhook_attempts w where w.agent_id = d.agent_id and w.agent_seq = d.agent_seq and w.url is not null)) ilike $2)
  and case
  when q.agent_id is null then coalesce(e.ends_as, 'dropped')
  when q.next_at is null then 'waiting' else 'retrying' end = $3
  and "d"."event" = $4;

-- lockDelivery
select "id"
from "webhook_deliveries"
where "id" = $1 and "agent_id" = $2 for update;
select "d".*
  , case
  when q.agent_id is null then coalesce(e.ends_as, 'dropped')
  when q.next_at is null then 'waiting' else 'retrying' end as "state"
  , q.next_at as "next_at"
  , e.at + make_interval(secs => e.duration_ms / 1000.0) as "finished_at"
from "webhook_deliveries" as "d"
left
join "webhook_queue" as "q" on "q"."agent_id" = "d"."agent_id" and "q"."agent_seq" = "d"."agent_seq"
left
join "webhook_attempts" as "e" on "e"."agent_id" = "d"."agent_id"
  and "e"."agent_seq" = "d"."agent_seq"
  and "e"."ends_as" is not null
where "d"."agent_id" = $1 and "d"."id" = $2;

-- queueAgain
update "webhook_deliveries"
set "redeliveries" = "redeliveries" + $1
where "id" = $2;
update webhook_attempts
set ends_as = null
where agent_id = $1 and agent_seq = $2 and ends_as is not null;
insert into webhook_queue (agent_id, agent_seq, attempts, next_at) select $1, $2, count(*), market_now()
from webhook_attempts
where agent_id = $3 and agent_seq = $4;
select pg_notify($1, $2);
