-- Generated from packages/server/src/features/orders/lifecycle/overdue-repository.ts by `npm run generate`. Do not edit.

-- areHiresHeld
select "payout_held_since"
from "agents"
where "id" = $1;

-- lockHolds
select "id"
from "agents"
where "id" = $1 for no key update;

-- refreshHold
select "id"
from "agents"
where "id" = $1 for no key update;
with overdue as ( select overdue_since as since, overdue_cleared_at is null and status <> 'cancelled' as owed from orders where provider_agent_id = $1 and overdue_since is not null and not related_party )
  , stretches as ( select first.since as begins, first.since + make_interval(days => $2) as ends from overdue first )
  , judged as ( select exists ( select 1 from stretches s where $3 <= (select count(*) from overdue o where o.since between s.begins and s.ends) and exists (select 1 from overdue o where o.owed and o.since between s.begins and s.ends)) as held ) update agents
set payout_held_since = case when judged.held then market_now() end
from judged
where agents.id = $4 and (agents.payout_held_since is not null) <> judged.held;
