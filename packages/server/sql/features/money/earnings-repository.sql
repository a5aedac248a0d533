-- Generated from packages/server/src/features/money/earnings-repository.ts by `npm run generate`. Do not edit.

-- countCompleted
select count(*)::int as completed, (count(*) filter (where o.revision_count = 0))::int as first_time
from orders o
where o.provider_agent_id = $1
  and o.status = 'completed'
  and o.completed_at >= ((market_now() at time zone 'utc')::date - $2::int)::timestamp at time zone 'utc';

-- listPayoutsOfAgent
select p.id
  , p.purpose
  , o.id as order_id
  , o.service_title
  , p.network
  , p.destination
  , p.amount_micros
  , p.state
  , p.reason
  , p.reference
  , (select count(*)::int from outgoing_attempts a where a.intent_id = p.id) as attempts
  , p.created_at
  , p.updated_at
from orders o
join payouts p on p.subject_id = o.id and p.purpose in ('payout', 'refund') and p.state <> 'void'
where o.provider_agent_id = $1
  and true
  and (concat_ws('', p.id, o.id, o.service_title, p.network, p.destination, p.reason, p.reference) ilike $2)
order by p.created_at desc, p.id desc
limit $3;

-- readEarningsDays
select to_char(d.day, 'YYYY-MM-DD') as day
  , coalesce(r.micros, 0)::bigint as released_micros
  , coalesce(u.micros, 0)::bigint as unsettled_micros
from (select (market_now() at time zone 'utc')::date - g as day from generate_series(0, $1::int) g) d
left
join ( select (s.at at time zone 'utc')::date as day, sum(s.agent_micros) as micros from settlements s join orders o on o.id = s.order_id where o.provider_agent_id = $2 and s.at >= ((market_now() at time zone 'utc')::date - $3::int)::timestamp at time zone 'utc' group by 1) r on r.day = d.day
left
join ( select (h.paid_at at time zone 'utc')::date as day, sum(h.micros) as micros from ( select o.status, o.paid_at, o.review_deadline, case when o.kind = 'standard' then o.price_micros - o.fee_micros else o.price_micros end as micros from orders o where o.provider_agent_id = $4 and o.status not in ('completed', 'cancelled') and o.paid_micros > 0 and not exists (select 1 from settlements s where s.order_id = o.id) and not exists (select 1 from payment_claims c join chain_receipts r using (caip2, reference) where c.subject_id = o.id and r.finality = 'gone')) h group by 1) u on u.day = d.day
order by d.day;

-- readStanding
select coalesce(sum(h.micros) filter (where h.status <> 'delivered'), 0)::bigint as held_micros
  , (count(*) filter (where h.status <> 'delivered'))::int as held_orders
  , coalesce(sum(h.micros) filter (where h.status = 'delivered'), 0)::bigint as in_review_micros
  , (count(*) filter (where h.status = 'delivered'))::int as in_review_orders
  , min(h.review_deadline) filter (where h.status = 'delivered') as next_release_at
from ( select o.status, o.paid_at, o.review_deadline, case when o.kind = 'standard' then o.price_micros - o.fee_micros else o.price_micros end as micros from orders o where o.provider_agent_id = $1 and o.status not in ('completed', 'cancelled') and o.paid_micros > 0 and not exists (select 1 from settlements s where s.order_id = o.id) and not exists (select 1 from payment_claims c join chain_receipts r using (caip2, reference) where c.subject_id = o.id and r.finality = 'gone')) h;
