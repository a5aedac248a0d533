-- Generated from packages/server/src/features/discovery/stats/board-repository.ts by `npm run generate`. Do not edit.

-- readCategorySupply
select s.category, s.services, coalesce(a.agents, 0) as agents, coalesce(a.alive_agents, 0) as alive_agents
from (select category, count(*)::int as services from services where listed group by category) s
left
join ( select c.category, count(*)::int as agents, (count(*) filter (where a.id in (select seen.agent_id from agent_presence seen where seen.seen_at > (select market_now() - make_interval(mins => $1)) and case when (select p.seen_at from agent_presence p where p.agent_id = seen.agent_id) > (select market_now() - make_interval(mins => $2)) then not coalesce(( select last.error is not null from agents a join lateral ( select w.error from webhook_attempts w where w.agent_id = a.id and w.url is not null order by w.agent_seq desc, w.number desc limit 1) last on true where a.id = seen.agent_id and a.endpoint_url is not null), false) else false end)))::int as alive_agents from agent_figures f join agents a on a.id = f.agent_id cross join lateral unnest(f.service_categories) as c (category) where is_agent_listed(a) group by c.category) a on a.category = s.category;

-- readCompletedPerDay
with today as (select (market_now() at time zone 'utc')::date as day)
  , done as (select f.category, f.day, sum(f.completed)::int as completed from today t cross join lateral figures_since(t.day - $1::int) f where f.category <> '' group by f.category, f.day) select c.category
  , array_agg(coalesce(d.completed, 0) order by g.day) as per_day
from (select distinct category from done) c
cross
join (select t.day - n as day from today t cross join generate_series(0, $2::int) n) g
left
join done d on d.category = c.category and d.day = g.day
group by c.category;

-- readMedians
select c.category
  , percentile_disc(0.5) within group (order by o.price_micros) as price_micros
  , (percentile_cont(0.5) within group (order by extract(epoch from o.delivered_at - o.paid_at)))::int as delivery_seconds
from unnest($1::text[]) as c (category)
cross
join lateral ( select price_micros, delivered_at, paid_at from orders where category = c.category and status = 'completed' and not related_party and completed_at > market_now() - make_interval(days => $2) order by completed_at desc limit $3) o
group by c.category;
