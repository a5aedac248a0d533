-- Generated from packages/server/src/features/events/repository.ts by `npm run generate`. Do not edit.

-- adoptRestoredEvents
update event_readers
set xid = $1::xid8
where xid >= pg_snapshot_xmax(pg_current_snapshot());

-- listOwnedAgents
select id
from agents
where owner_user_id = $1
union select id
from agents
where owner_wallet = any($2::text[]);

-- readBeyond
with next as (select pg_snapshot_xmax(pg_current_snapshot())::text::bigint as xid)
  , running as ( select (next.xid - a.backend_xid::text::bigint) & 4294967295 as age from next, pg_stat_activity a where a.datname = current_database() and a.backend_xid is not null) select next.xid - coalesce((select max(age) from running where age < 2147483648), 0) as horizon
from next;
select e.id
  , e.type
  , e.subject_id as "subjectId"
  , coalesce(e.context->>'order_id', case when starts_with(e.subject_id, 'ord_') then e.subject_id end) as "orderId"
  , e.agent_id as "agentId"
  , e.data
  , e.created_at as "createdAt"
  , r.xid::text::bigint as xid
  , r.seq
  , r.reader
  , r.xid < $1::xid8 as settled
from event_readers r
join events e on e.id = r.event_id
where (r.xid, r.event_id) > ($2::xid8, $3::bigint)
order by r.xid, r.event_id
limit $4;

-- readByNumber
select e.id
  , e.type
  , e.subject_id as "subjectId"
  , coalesce(e.context->>'order_id', case when starts_with(e.subject_id, 'ord_') then e.subject_id end) as "orderId"
  , e.agent_id as "agentId"
  , e.data
  , e.created_at as "createdAt"
  , r.seq
  , r.xid::text::bigint as xid
from event_readers r
join events e on e.id = r.event_id
where r.reader = $1
  and r.seq > $2
  and e.type = any($3::text[])
  and coalesce(e.context->>'order_id', case when starts_with(e.subject_id, 'ord_') then e.subject_id end) = $4
order by r.seq
limit $5;

-- readByPosition
with next as (select pg_snapshot_xmax(pg_current_snapshot())::text::bigint as xid)
  , running as ( select (next.xid - a.backend_xid::text::bigint) & 4294967295 as age from next, pg_stat_activity a where a.datname = current_database() and a.backend_xid is not null) select next.xid - coalesce((select max(age) from running where age < 2147483648), 0) as horizon
from next;
select distinct on (found.xid, found.id) found.*, found.xid::text::bigint as xid, null::bigint as seq
from unnest($1::text[]) as mine (reader)
cross
join lateral ( select e.id, e.type, e.subject_id as "subjectId", coalesce(e.context->>'order_id', case when starts_with(e.subject_id, 'ord_') then e.subject_id end) as "orderId", e.agent_id as "agentId", e.data, e.created_at as "createdAt", r.xid from event_readers r join events e on e.id = r.event_id where r.reader = mine.reader and (r.xid, r.event_id) > (case when $2::xid8 >= pg_snapshot_xmax(pg_current_snapshot()) then $3::xid8 else $4::xid8 end, $5::bigint) and r.xid < $6::xid8 and e.type = any($7::text[]) and coalesce(e.context->>'order_id', case when starts_with(e.subject_id, 'ord_') then e.subject_id end) = $8 and not (r.reader = any($9::text[]) and exists (select 1 from orders o where o.id = coalesce(e.context->>'order_id', case when starts_with(e.subject_id, 'ord_') then e.subject_id end) and not ("o"."kind" <> 'machine' or "o"."payment_network" is null or "o"."client_wallet" is null or not "o"."client_wallet" = any($10::text[]) or ("o"."client_wallet" || ' ' || "o"."payment_network") = any($11::text[])))) order by r.xid, r.event_id limit $12) as found
order by found.xid, found.id
limit $13;

-- readLastNumber
select "last_seq"
from "event_counters"
where "reader" = $1;

-- readNow
with next as (select pg_snapshot_xmax(pg_current_snapshot())::text::bigint as xid)
  , running as ( select (next.xid - a.backend_xid::text::bigint) & 4294967295 as age from next, pg_stat_activity a where a.datname = current_database() and a.backend_xid is not null) select next.xid - coalesce((select max(age) from running where age < 2147483648), 0) as horizon
from next;
