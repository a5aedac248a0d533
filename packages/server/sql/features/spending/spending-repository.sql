-- Generated from packages/server/src/features/spending/spending-repository.ts by `npm run generate`. Do not edit.

-- clearOldSpendings
delete from spendings
where status <> 'reserved' and created_at < market_now() - make_interval(days => $1);
delete from spend_approvals
where created_at < market_now() - make_interval(days => $1);

-- insertSpending
insert into "spendings" ("settled_at", "holders")
values (market_now(), $1)
returning *;
insert into spending_subjects (spending_id, subject_kind, subject_id) select $1, kind, id
from unnest($2::text[], $3::text[]) as s (kind, id);

-- joinReserved
update spendings
set holders = holders + 1
where id = $1;

-- keepSpending
select pg_advisory_xact_lock(hashtextextended($1, 0));
update spendings s
set bought_kind = $1
  , bought_id = $2
  , amount_micros = $3
  , settled_at = market_now()
  , status = case
  when exists ( select 1 from spendings o where o.principal = s.principal and o.bought_id = $4 and o.status = 'kept' and o.id <> s.id) then 'released' else 'kept' end
where s.id = $5 and (s.status in ('reserved', 'kept') or (s.status = 'released' and $6::boolean))
returning s.status;

-- lockCounted
select *
from "spendings"
where "principal" = $1 and "reference" = $2 and "status" in ($3, $4)
order by "status" desc for update;

-- lockSpending
select *
from "spendings"
where "id" = $1 for update;

-- readSpent
select s.kind
  , s.id
  , coalesce(sum(p.amount_micros), 0)::bigint as "dayMicros"
  , coalesce(sum(p.amount_micros) filter (where p.provider_agent_id = $1::text), 0)::bigint as "providerDayMicros"
  , coalesce(sum(p.amount_micros) filter (where p.category = $2::text), 0)::bigint as "categoryDayMicros"
from unnest($3::text[], $4::text[]) as s (kind, id)
left
join spending_subjects x on x.subject_kind = s.kind
  and x.subject_id = s.id
  and x.created_at > market_now() - make_interval(hours => $5)
left
join spendings p on p.id = x.spending_id and p.status in ('reserved', 'kept')
group by s.kind, s.id;

-- releaseSpending
update spendings
set holders = greatest(holders - 1, 0)
  , status = case
  when holders <= 1
  or $1::boolean then 'released' else status end
  , settled_at = case
  when holders <= 1
  or $2::boolean then market_now() end
where id = $3 and status = 'reserved'
returning status;

-- releaseSpent
with freed as ( update spendings set holders = 0, status = 'released', settled_at = market_now() where bought_id = $1 and reference = $2 and status = 'kept' returning id) update spend_approvals
set status = 'approved', spending_id = null
where status = 'used' and spending_id in (select id from freed);

-- undoSpending
update spendings
set holders = 0, status = 'released', settled_at = market_now()
where id = $1 and status = 'kept';
update spend_approvals
set status = 'approved', spending_id = null
where spending_id = $1 and status = 'used';
