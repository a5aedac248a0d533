-- Generated from packages/server/src/features/reputation/repository.ts by `npm run generate`. Do not edit.

-- countOrders
insert into counted_orders (order_id, agent_id, service_id, buyer) select o.id
  , o.provider_agent_id
  , o.service_id
  , known_buyer(o)
from orders o
where o.id = any($1) and o.paid_micros > 0 and not exists (select 1 from counted_orders c where c.order_id = o.id)
on conflict do nothing;
select order_id
from counted_orders
where order_id = any($1)
order by order_id for update;
with judged as ( select o.id, log.ended_at, log.rating, log.lost, log.completed and log.handed_over as kept, o.due_at is not null and (log.delivered_at is not null or log.ended_at > o.due_at) as timed, coalesce(log.delivered_at <= o.due_at, false) as on_time, floor(extract(epoch from log.answered_at - o.paid_at))::integer as response_seconds from orders o cross join lateral ( select max(e.created_at) filter (where e.type in ('order.completed', 'order.cancelled')) as ended_at, bool_or(e.type = 'order.completed') as completed, bool_or(e.type = 'order.cancelled' and (e.context->>'actor_role' = 'provider' or e.context->>'actor_role' = 'system' and e.data->>'reason' is null)) as failed, bool_or(e.type = 'order.dispute_ruled' and e.data->>'ruling' <> 'release') as lost, min(e.created_at) filter (where e.type = 'order.delivered') as delivered_at, bool_or(e.type = 'order.delivered' and e.context->>'actor_role' = 'provider' or e.type = 'order.request_answered' and e.data->>'status' = 'completed') as handed_over, bool_or(e.type = 'order.request_opened') as asked, min(e.created_at) filter (where e.context->>'actor_role' = 'provider' and e.created_at >= o.paid_at) as answered_at, max((e.data->>'rating')::integer) filter (where e.type = 'order.reviewed') as rating from events e where e.subject_id = o.id) log where o.id = any($1) and o.paid_micros > 0 and not o.related_party and (log.completed and (o.due_at is not null or log.asked or log.handed_over) or log.failed or log.lost and log.ended_at is not null))
  , part as ( select o.id, counts::int as total_orders, (counts and ended)::int as completed_orders, (counts and o.overdue_since is not null)::int as overdue_orders, (counts and ended and o.overdue_since is not null)::int as late_orders, case when counts and o.status = 'completed' then case when s.outcome is distinct from 'split' then o.price_micros when o.kind = 'standard' then s.agent_micros + s.fee_micros else s.agent_micros end else 0 end as revenue_micros, case when counts then coalesce(r.rating, 0) else 0 end as rating_sum, (counts and r.rating is not null)::int as rating_count, (j.id is not null)::int as settled_orders, coalesce(j.kept, false)::int as kept_orders, coalesce(j.kept and not j.lost and (j.on_time or not j.timed) and coalesce(j.rating >= 4, true), false)::int as good_orders, coalesce(j.timed and weight > 0, false)::int as timed_orders, coalesce(j.timed and j.on_time and weight > 0, false)::int as on_time_orders, coalesce(j.lost, false)::int as disputes_lost, case when weight > 0 then j.response_seconds end as response_seconds, j.ended_at, case when j.id is null then 0 else weight end as weight from orders o cross join lateral (select o.paid_micros > 0 and o.status <> 'cancelled' and not o.related_party as counts, o.status = 'completed' and (o.overdue_since is null or o.delivered_at is not null) as ended, order_weight(o.price_micros) as weight) c left join settlements s on s.order_id = o.id left join reviews r on r.order_id = o.id left join judged j on j.id = o.id where o.id = any($1) )
  , before as (select * from counted_orders where order_id = any($1))
  , moved as ( update counted_orders c set total_orders = p.total_orders, completed_orders = p.completed_orders, overdue_orders = p.overdue_orders, late_orders = p.late_orders, revenue_micros = p.revenue_micros, rating_sum = p.rating_sum, rating_count = p.rating_count, settled_orders = p.settled_orders, kept_orders = p.kept_orders, good_orders = p.good_orders, timed_orders = p.timed_orders, on_time_orders = p.on_time_orders, disputes_lost = p.disputes_lost, response_seconds = p.response_seconds, ended_at = p.ended_at, weight = p.weight from part p, before b where c.order_id = p.id and b.order_id = p.id returning c.agent_id, c.service_id, c.buyer, reputation_period(c.ended_at) as period, c.response_seconds is distinct from b.response_seconds or c.ended_at is distinct from b.ended_at as answers_moved, c.total_orders - b.total_orders as total_orders, c.completed_orders - b.completed_orders as completed_orders, c.overdue_orders - b.overdue_orders as overdue_orders, c.late_orders - b.late_orders as late_orders, c.revenue_micros - b.revenue_micros as revenue_micros, c.rating_sum - b.rating_sum as rating_sum, c.rating_count - b.rating_count as rating_count, c.settled_orders - b.settled_orders as settled_orders, c.kept_orders - b.kept_orders as kept_orders, c.good_orders - b.good_orders as good_orders, c.timed_orders - b.timed_orders as timed_orders, c.on_time_orders - b.on_time_orders as on_time_orders, c.disputes_lost - b.disputes_lost as disputes_lost, c.weight - b.weight as settled, c.weight * c.good_orders - b.weight * b.good_orders as good, c.weight * c.kept_orders - b.weight * b.kept_orders as completed, c.weight * c.rating_count - b.weight * b.rating_count as rated, c.weight * (c.rating_sum - c.rating_count) - b.weight * (b.rating_sum - b.rating_count) as points, (c.weight > 0)::int * c.kept_orders - (b.weight > 0)::int * b.kept_orders as kept) select coalesce(jsonb_agg(to_jsonb(moved)), '[]')::text as differences
from moved;
with moved as ( select * from jsonb_to_recordset($1::jsonb) as m (agent_id text, service_id text, buyer text, period int, answers_moved boolean, total_orders int, completed_orders int, overdue_orders int, late_orders int, revenue_micros bigint, rating_sum int, rating_count int, settled_orders int, kept_orders int, good_orders int, timed_orders int, on_time_orders int, disputes_lost int, settled int, good int, completed int, rated int, points int, kept int) where agent_id is not null )
  , by as ( select agent_id as id, bool_or(answers_moved) as answers_moved, sum(total_orders)::int as total_orders, sum(completed_orders)::int as completed_orders, sum(overdue_orders)::int as overdue_orders, sum(late_orders)::int as late_orders, sum(revenue_micros)::bigint as revenue_micros, sum(rating_sum)::int as rating_sum, sum(rating_count)::int as rating_count, sum(settled_orders)::int as settled_orders, sum(kept_orders)::int as kept_orders, sum(timed_orders)::int as timed_orders, sum(on_time_orders)::int as on_time_orders, sum(disputes_lost)::int as disputes_lost from moved group by 1 order by 1 )
  , of_buyers as ( select agent_id as id, buyer, sum(kept)::int as kept from moved where buyer is not null group by 1, 2 having sum(kept) <> 0 order by 1, 2 )
  , of_periods as ( select agent_id as id, buyer, period, sum(settled)::int as settled, sum(good)::int as good, sum(completed)::int as completed, sum(rated)::int as rated, sum(points)::int as points from moved where buyer is not null and period is not null group by 1, 2, 3 having sum(settled) <> 0 or sum(good) <> 0 or sum(completed) <> 0 or sum(rated) <> 0 or sum(points) <> 0 order by 1, 2, 3 )
  , buyers as materialized ( insert into subject_buyers as b (subject, buyer, kept_orders) select id, buyer, kept from of_buyers on conflict (subject, buyer) do update set kept_orders = b.kept_orders + excluded.kept_orders returning subject, buyer, kept_orders as kept )
  , periods as materialized ( insert into subject_periods as p (subject, buyer, period, settled, good, completed, rated, points) select id, buyer, period, settled, good, completed, rated, points from of_periods where (select count(*) from buyers) >= 0 on conflict (subject, buyer, period) do update set settled = p.settled + excluded.settled, good = p.good + excluded.good, completed = p.completed + excluded.completed, rated = p.rated + excluded.rated, points = p.points + excluded.points returning subject, buyer, period, settled, good, completed, rated, points )
  , of_all as ( select n.subject as id, sum((n.kept > 0)::int - (n.kept - d.kept > 0)::int)::int as buyers, sum((n.kept > 1)::int - (n.kept - d.kept > 1)::int)::int as repeat_buyers from buyers n join of_buyers d on d.id = n.subject and d.buyer = n.buyer group by 1 )
  , weights as ( select n.subject as id, sum(counted_part(n.settled, n.settled) - counted_part(n.settled - d.settled, n.settled - d.settled))::int as score_weight, sum(counted_part(n.settled, n.good) - counted_part(n.settled - d.settled, n.good - d.good))::int as score_good, sum(counted_part(n.settled, n.completed) - counted_part(n.settled - d.settled, n.completed - d.completed))::int as completed_weight, sum(counted_part(n.settled, n.rated) - counted_part(n.settled - d.settled, n.rated - d.rated))::int as rated_weight, sum(counted_part(n.settled, n.points) - counted_part(n.settled - d.settled, n.points - d.points))::int as rating_points from periods n join of_periods d on d.id = n.subject and d.buyer = n.buyer and d.period = n.period group by 1 ) update agent_figures f
set total_orders = f.total_orders + by.total_orders
  , completed_orders = f.completed_orders + by.completed_orders
  , overdue_orders = f.overdue_orders + by.overdue_orders
  , late_orders = f.late_orders + by.late_orders
  , revenue_micros = f.revenue_micros + by.revenue_micros
  , rating_sum = f.rating_sum + by.rating_sum
  , rating_count = f.rating_count + by.rating_count
  , settled_orders = f.settled_orders + by.settled_orders
  , kept_orders = f.kept_orders + by.kept_orders
  , timed_orders = f.timed_orders + by.timed_orders
  , on_time_orders = f.on_time_orders + by.on_time_orders
  , disputes_lost = f.disputes_lost + by.disputes_lost
  , buyers = f.buyers + coalesce(b.buyers, 0)
  , repeat_buyers = f.repeat_buyers + coalesce(b.repeat_buyers, 0)
  , score_weight = f.score_weight + coalesce(w.score_weight, 0)
  , score_good = f.score_good + coalesce(w.score_good, 0)
  , completed_weight = f.completed_weight + coalesce(w.completed_weight, 0)
  , rated_weight = f.rated_weight + coalesce(w.rated_weight, 0)
  , rating_points = f.rating_points + coalesce(w.rating_points, 0)
  , rating_rank = coalesce(reputation_score(f.rated_weight + coalesce(w.rated_weight, 0), (f.rating_points + coalesce(w.rating_points, 0)) / 4), 0)
  , first_response_seconds = case
  when by.answers_moved then ( select percentile_disc(0.5) within group (order by response_seconds) from ( select response_seconds from counted_orders c where c.agent_id = by.id and response_seconds is not null order by ended_at desc, order_id desc limit 100) latest) else f.first_response_seconds end
from by
left
join of_all b on b.id = by.id
left
join weights w on w.id = by.id
where f.agent_id = by.id;
with moved as ( select * from jsonb_to_recordset($1::jsonb) as m (agent_id text, service_id text, buyer text, period int, answers_moved boolean, total_orders int, completed_orders int, overdue_orders int, late_orders int, revenue_micros bigint, rating_sum int, rating_count int, settled_orders int, kept_orders int, good_orders int, timed_orders int, on_time_orders int, disputes_lost int, settled int, good int, completed int, rated int, points int, kept int) where service_id is not null )
  , by as ( select service_id as id, bool_or(answers_moved) as answers_moved, sum(total_orders)::int as total_orders, sum(completed_orders)::int as completed_orders, sum(rating_sum)::int as rating_sum, sum(rating_count)::int as rating_count, sum(settled_orders)::int as settled_orders, sum(kept_orders)::int as kept_orders, sum(timed_orders)::int as timed_orders, sum(on_time_orders)::int as on_time_orders, sum(disputes_lost)::int as disputes_lost from moved group by 1 order by 1 )
  , of_buyers as ( select service_id as id, buyer, sum(kept)::int as kept from moved where buyer is not null group by 1, 2 having sum(kept) <> 0 order by 1, 2 )
  , of_periods as ( select service_id as id, buyer, period, sum(settled)::int as settled, sum(good)::int as good, sum(completed)::int as completed, sum(rated)::int as rated, sum(points)::int as points from moved where buyer is not null and period is not null group by 1, 2, 3 having sum(settled) <> 0 or sum(good) <> 0 or sum(completed) <> 0 or sum(rated) <> 0 or sum(points) <> 0 order by 1, 2, 3 )
  , buyers as materialized ( insert into subject_buyers as b (subject, buyer, kept_orders) select id, buyer, kept from of_buyers on conflict (subject, buyer) do update set kept_orders = b.kept_orders + excluded.kept_orders returning subject, buyer, kept_orders as kept )
  , periods as materialized ( insert into subject_periods as p (subject, buyer, period, settled, good, completed, rated, points) select id, buyer, period, settled, good, completed, rated, points from of_periods where (select count(*) from buyers) >= 0 on conflict (subject, buyer, period) do update set settled = p.settled + excluded.settled, good = p.good + excluded.good, completed = p.completed + excluded.completed, rated = p.rated + excluded.rated, points = p.points + excluded.points returning subject, buyer, period, settled, good, completed, rated, points )
  , of_all as ( select n.subject as id, sum((n.kept > 0)::int - (n.kept - d.kept > 0)::int)::int as buyers, sum((n.kept > 1)::int - (n.kept - d.kept > 1)::int)::int as repeat_buyers from buyers n join of_buyers d on d.id = n.subject and d.buyer = n.buyer group by 1 )
  , weights as ( select n.subject as id, sum(counted_part(n.settled, n.settled) - counted_part(n.settled - d.settled, n.settled - d.settled))::int as score_weight, sum(counted_part(n.settled, n.good) - counted_part(n.settled - d.settled, n.good - d.good))::int as score_good, sum(counted_part(n.settled, n.completed) - counted_part(n.settled - d.settled, n.completed - d.completed))::int as completed_weight, sum(counted_part(n.settled, n.rated) - counted_part(n.settled - d.settled, n.rated - d.rated))::int as rated_weight, sum(counted_part(n.settled, n.points) - counted_part(n.settled - d.settled, n.points - d.points))::int as rating_points from periods n join of_periods d on d.id = n.subject and d.buyer = n.buyer and d.period = n.period group by 1 ) update services f
set total_orders = f.total_orders + by.total_orders
  , completed_orders = f.completed_orders + by.completed_orders
  , rating_sum = f.rating_sum + by.rating_sum
  , rating_count = f.rating_count + by.rating_count
  , settled_orders = f.settled_orders + by.settled_orders
  , kept_orders = f.kept_orders + by.kept_orders
  , timed_orders = f.timed_orders + by.timed_orders
  , on_time_orders = f.on_time_orders + by.on_time_orders
  , disputes_lost = f.disputes_lost + by.disputes_lost
  , buyers = f.buyers + coalesce(b.buyers, 0)
  , repeat_buyers = f.repeat_buyers + coalesce(b.repeat_buyers, 0)
  , score_weight = f.score_weight + coalesce(w.score_weight, 0)
  , score_good = f.score_good + coalesce(w.score_good, 0)
  , completed_weight = f.completed_weight + coalesce(w.completed_weight, 0)
  , rated_weight = f.rated_weight + coalesce(w.rated_weight, 0)
  , rating_points = f.rating_points + coalesce(w.rating_points, 0)
  , rating_rank = coalesce(reputation_score(f.rated_weight + coalesce(w.rated_weight, 0), (f.rating_points + coalesce(w.rating_points, 0)) / 4), 0)
  , first_response_seconds = case
  when by.answers_moved then ( select percentile_disc(0.5) within group (order by response_seconds) from ( select response_seconds from counted_orders c where c.service_id = by.id and response_seconds is not null order by ended_at desc, order_id desc limit 100) latest) else f.first_response_seconds end
from by
left
join of_all b on b.id = by.id
left
join weights w on w.id = by.id
where f.id = by.id;

-- revenueMicros
case
  when s.outcome is distinct from 'split' then o.price_micros
  when o.kind = 'standard' then s.agent_micros + s.fee_micros else s.agent_micros end;
