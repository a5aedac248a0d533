-- Generated from packages/server/src/features/reputation/orders-repository.ts by `npm run generate`. Do not edit.

-- findPeriod
select max(period) as period
from subject_periods
where subject = $1 and settled > 0 and period <= $2;

-- listWeighedOrders
select (dense_rank() over (order by md5(c.buyer || c.agent_id || $1::text)))::int as buyer
  , c.ended_at
  , o.price_micros
  , c.weight
  , c.kept_orders = 1 as completed
  , c.timed_orders = 1 as timed
  , c.on_time_orders = 1 as on_time
  , c.disputes_lost = 1 as dispute_lost
  , case
  when c.rating_count = 1 then c.rating_sum end as rating
  , c.good_orders = 1 as good
  , (count(*) over ())::int as total
from counted_orders c
join orders o on o.id = c.order_id
where c.agent_id = $2
  and c.weight > 0
  and c.ended_at >= to_timestamp($3)
  and c.ended_at < to_timestamp($4)
  and c.service_id = $5
order by c.ended_at desc, c.order_id desc offset $6
limit $7;
