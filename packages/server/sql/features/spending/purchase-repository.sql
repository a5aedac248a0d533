-- Generated from packages/server/src/features/spending/purchase-repository.ts by `npm run generate`. Do not edit.

-- isUndone
select (bought_kind = 'movement' and ( exists (select 1 from wallet_movements m where m.id = bought_id and m.state = 'failed') or exists (select 1 from earn_agent_deposits a join earn_deposits d on d.id = a.deposit_id where a.movement_id = bought_id and d.status in ('refunding', 'refunded'))))
  or (bought_kind = 'earn_deposit' and exists (select 1 from earn_deposits d where d.id = bought_id and d.status in ('refunding', 'refunded'))) as "undone"
from "spendings"
where "id" = $1;

-- listUndone
select id
from spendings
where status = 'kept'
  and bought_kind in ('movement', 'earn_deposit')
  and created_at > market_now() - make_interval(secs => $1)
  and ( (bought_kind = 'movement' and ( exists (select 1 from wallet_movements m where m.id = bought_id and m.state = 'failed') or exists (select 1 from earn_agent_deposits a join earn_deposits d on d.id = a.deposit_id where a.movement_id = bought_id and d.status in ('refunding', 'refunded')))) or (bought_kind = 'earn_deposit' and exists (select 1 from earn_deposits d where d.id = bought_id and d.status in ('refunding', 'refunded'))))
order by created_at
limit $2;

-- listUnsettled
select id, created_at < market_now() - make_interval(mins => $1) as "isAbandoned"
from spendings
where status = 'reserved' and created_at < market_now() - make_interval(secs => $2)
order by created_at
limit $3;

-- not shown: canClaimMove, findPurchase, paymentReference, transferReference
