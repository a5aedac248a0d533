-- Generated from packages/server/src/features/spending/approval-repository.ts by `npm run generate`. Do not edit.

-- countWaiting
select count(*)::int as "n"
from "spend_approvals"
where "principal" = $1 and "status" = $2 and "expires_at" > market_now();

-- decideApproval
update "spend_approvals"
set "status" = $1, "decided_at" = market_now(), "decided_by" = $2
where "id" = $3
returning *, expires_at <= market_now() as "is_expired";

-- findApprovalOf
select *, expires_at <= market_now() as "is_expired"
from "spend_approvals"
where "principal" = $1 and "call_hash" = $2 and "status" <> $3 and "expires_at" > market_now()
order by "created_at" desc, "id" desc;

-- insertApproval
insert into "spend_approvals" ("id", "principal", "operation", "call_hash", "amount_micros", "provider_agent_id", "category", "about", "sentence", "asked_of", "status", "spending_id", "created_at", "expires_at", "decided_at", "decided_by", "deciders")
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, market_now() + make_interval(hours => $14), $15, $16, $17)
returning *, expires_at <= market_now() as "is_expired";

-- listApprovals
select *, expires_at <= market_now() as "is_expired"
from "spend_approvals"
where (principal = $1::text or asked_of && $2::text[])
  and (concat_ws('', id, principal, operation, provider_agent_id, category, about, sentence, (select a.name from agents a where spend_approvals.principal like 'agent:%' and a.id = substr(spend_approvals.principal, 7)), (select c.client_name from connections c where spend_approvals.principal like 'connection:%' and c.id = substr(spend_approvals.principal, 12)), (select a.name from agents a where a.id = spend_approvals.provider_agent_id), coalesce( (select o.service_title from orders o where o.id = spend_approvals.about), (select b.title from bounties b where b.order_id = spend_approvals.about), (select s.title from services s where s.id = spend_approvals.about), (select a.name from agents a where a.id = spend_approvals.about))) ilike $3)
  and case
  when status in ('waiting', 'approved')
  and expires_at <= market_now() then 'expired' else status end = $4
  and "id" = $5
order by "created_at" desc, "id" desc
limit $6 offset $7;
select count(*)::int as "total"
from "spend_approvals"
where (principal = $1::text or asked_of && $2::text[])
  and (concat_ws('', id, principal, operation, provider_agent_id, category, about, sentence, (select a.name from agents a where spend_approvals.principal like 'agent:%' and a.id = substr(spend_approvals.principal, 7)), (select c.client_name from connections c where spend_approvals.principal like 'connection:%' and c.id = substr(spend_approvals.principal, 12)), (select a.name from agents a where a.id = spend_approvals.provider_agent_id), coalesce( (select o.service_title from orders o where o.id = spend_approvals.about), (select b.title from bounties b where b.order_id = spend_approvals.about), (select s.title from services s where s.id = spend_approvals.about), (select a.name from agents a where a.id = spend_approvals.about))) ilike $3)
  and case
  when status in ('waiting', 'approved')
  and expires_at <= market_now() then 'expired' else status end = $4
  and "id" = $5;

-- lockApproval
select *, expires_at <= market_now() as "is_expired"
from "spend_approvals"
where "id" = $1 for update;

-- useApproval
update "spend_approvals"
set "status" = $1, "spending_id" = $2
where "id" = $3 and "status" = $4;
