-- Generated from packages/server/src/features/discovery/stats/explorer-repository.ts by `npm run generate`. Do not edit.

-- listHires
select o.id
  , o.payment_network as network
  , o.payment_reference as reference
  , o.payer
  , o.paid_micros
  , o.category
  , o.status
  , o.settlement
  , o.created_at
  , o.id as order_id
  , case
  when a.id is not null then o.service_id end as service_id
  , case
  when a.id is not null then o.service_title end as service_title
  , a.id as agent_id
  , a.name as agent_name
  , a.slug as agent_slug
from orders o
left
join agents a on a.id = o.provider_agent_id and is_agent_listed(a)
where o.kind = 'machine'
  and not o.related_party
  and o.payment_network = $1
  and true
  and (concat_ws('', o.payment_reference, o.id, case when a.id is not null then concat_ws(' ', o.service_id, o.service_title, a.id, a.name, a.slug) end) ilike $2)
order by o.created_at desc, o.id desc
limit $3;

-- listPayments
select c.number
  , r.network
  , c.reference
  , c.payer
  , c.amount_micros
  , c.purpose
  , r.finality
  , c.claimed_at
  , o.id as order_id
  , case
  when a.id is not null then o.service_id end as service_id
  , case
  when a.id is not null then o.service_title end as service_title
  , a.id as agent_id
  , a.name as agent_name
  , a.slug as agent_slug
from payment_claims c
join chain_receipts r on r.caip2 = c.caip2 and r.reference = c.reference
left
join orders o on o.id = c.subject_id
left
join agents a on a.id = o.provider_agent_id and is_agent_listed(a)
where c.caip2 = $1
  and c.purpose = $2
  and true
  and (concat_ws('', c.reference, o.id, case when a.id is not null then concat_ws(' ', o.service_id, o.service_title, a.id, a.name, a.slug) end) ilike $3)
order by c.number desc
limit $4;

-- listPublicPayouts
select p.id
  , p.network
  , p.reference
  , p.destination
  , p.amount_micros
  , p.purpose
  , p.state
  , p.created_at
  , o.id as order_id
  , case
  when a.id is not null then o.service_id end as service_id
  , case
  when a.id is not null then o.service_title end as service_title
  , a.id as agent_id
  , a.name as agent_name
  , a.slug as agent_slug
from payouts p
left
join orders o on o.id = p.subject_id
left
join agents a on a.id = o.provider_agent_id and is_agent_listed(a)
where p.state <> 'void'
  and p.network = $1
  and p.purpose = $2
  and true
  and (concat_ws('', p.reference, o.id, case when a.id is not null then concat_ws(' ', o.service_id, o.service_title, a.id, a.name, a.slug) end) ilike $3)
order by p.id desc
limit $4;
