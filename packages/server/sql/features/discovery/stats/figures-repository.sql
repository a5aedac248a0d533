-- Generated from packages/server/src/features/discovery/stats/figures-repository.ts by `npm run generate`. Do not edit.

-- countUnderWay
select status, count(*)::int as count
from orders
where status not in ('completed', 'cancelled') and not related_party
group by status;

-- listBusiestAgents
select a.id
  , a.slug
  , a.name
  , a.avatar_url
  , f.completed_orders
  , f.rating_sum::float8 / nullif(f.rating_count, 0) as rating
from agent_figures f
join agents a on a.id = f.agent_id
where f.completed_orders > 0 and is_agent_listed(a)
order by f.completed_weight desc, a.id
limit $1;

-- readAllTime
select coalesce(sum(paid), 0)::bigint as paid
  , coalesce(sum(paid_micros), 0)::bigint as paid_micros
  , coalesce(sum(completed), 0)::bigint as completed
  , coalesce(sum(cancelled), 0)::bigint as cancelled
  , coalesce(sum(released_micros), 0)::bigint as released_micros
  , coalesce(sum(fee_micros), 0)::bigint as fee_micros
  , coalesce(sum(refunded_micros), 0)::bigint as refunded_micros
  , coalesce(sum(paid) filter (where kind = 'machine'), 0)::bigint as machine_paid
  , coalesce(sum(paid_micros) filter (where kind = 'machine'), 0)::bigint as machine_micros
  , coalesce(sum(paid_fee_micros) filter (where kind = 'machine'), 0)::bigint as machine_fee_micros
from figures_since('-infinity');

-- readCreatorFeeLamports
select coalesce(sum(lamports), 0)::bigint as lamports
from creator_fee_receipts
where mint is not null;

-- readDays
select to_char(d.day, 'YYYY-MM-DD') as day
  , coalesce(f.network, '') as network
  , coalesce(sum(f.placed), 0)::bigint as placed
  , coalesce(sum(f.paid), 0)::bigint as paid
  , coalesce(sum(f.paid) filter (where f.kind = 'machine'), 0)::bigint as machine_paid
  , coalesce(sum(f.paid_micros), 0)::bigint as paid_micros
  , coalesce(sum(f.completed), 0)::bigint as completed
  , coalesce(sum(f.cancelled), 0)::bigint as cancelled
  , coalesce(sum(f.released_micros), 0)::bigint as released_micros
  , coalesce(sum(f.fee_micros), 0)::bigint as fee_micros
  , coalesce(sum(f.refunded_micros), 0)::bigint as refunded_micros
from (select (market_now() at time zone 'utc')::date - g as day from generate_series(0, $1::int) g) d
left
join figures_since((market_now() at time zone 'utc')::date - $2::int) f on f.day = d.day
group by d.day, f.network
order by d.day, network;

-- readLastDay
select coalesce(sum(paid), 0)::bigint as paid
  , coalesce(sum(paid_micros), 0)::bigint as paid_micros
  , coalesce(sum(completed), 0)::bigint as completed
  , coalesce(sum(cancelled), 0)::bigint as cancelled
  , coalesce(sum(released_micros), 0)::bigint as released_micros
  , coalesce(sum(fee_micros), 0)::bigint as fee_micros
  , coalesce(sum(refunded_micros), 0)::bigint as refunded_micros
  , coalesce(sum(paid) filter (where kind = 'machine'), 0)::bigint as machine_paid
  , coalesce(sum(paid_micros) filter (where kind = 'machine'), 0)::bigint as machine_micros
  , coalesce(sum(paid_fee_micros) filter (where kind = 'machine'), 0)::bigint as machine_fee_micros
from count_figures(market_now() - interval '24 hours', 'infinity');

-- readLastDays
select coalesce(sum(paid), 0)::bigint as paid
  , coalesce(sum(paid_micros), 0)::bigint as paid_micros
  , coalesce(sum(completed), 0)::bigint as completed
  , coalesce(sum(cancelled), 0)::bigint as cancelled
  , coalesce(sum(released_micros), 0)::bigint as released_micros
  , coalesce(sum(fee_micros), 0)::bigint as fee_micros
  , coalesce(sum(refunded_micros), 0)::bigint as refunded_micros
  , coalesce(sum(paid) filter (where kind = 'machine'), 0)::bigint as machine_paid
  , coalesce(sum(paid_micros) filter (where kind = 'machine'), 0)::bigint as machine_micros
  , coalesce(sum(paid_fee_micros) filter (where kind = 'machine'), 0)::bigint as machine_fee_micros
from figures_since((market_now() at time zone 'utc')::date - $1::int);

-- readMonths
select to_char(day, 'YYYY-MM') as month, sum(paid)::int as count
from figures_since('-infinity')
group by 1
having sum(paid) > 0
order by 1;

-- readRankings
select (select coalesce(json_object_agg(c.category, c.count), '{}') from (select category, count(*) as count from services where listed group by category) c) as by_category
  , (select coalesce(json_object_agg(p.name, p.count), '{}') from (select a.name, f.services_count as count from agent_figures f join agents a on a.id = f.agent_id where f.services_count > 0 and is_agent_listed(a) order by f.services_count desc, a.id limit 20) p) as by_provider
  , (select coalesce(json_object_agg(m.model, m.count), '{}') from (select provider_model as model, count(*) as count from services where listed and provider_model is not null group by provider_model order by count(*) desc, provider_model limit 20) m) as by_model
  , (select sum(f.rating_sum)::float8 / nullif(sum(f.rating_count), 0) from agent_figures f) as average_rating;

-- readSupply
select a.*
  , (select count(*)::int from services where listed) as services
  , (select p.buyers + (select count(distinct buyer_of(o)) from orders o where o.paid_at >= p.open_day::timestamp at time zone 'utc' and o.paid_micros > 0 and not o.related_party and not exists (select 1 from counted_buyers c where c.buyer = buyer_of(o))) from figures_progress p)::int as buyers
from (select count(*)::int as agents, count(token_mint)::int as tokens, (count(*) filter (where token_mode = 'pumpfun'))::int as pumpfun_tokens, (count(*) filter (where token_mode = 'partner'))::int as partner_tokens, (count(*) filter (where created_at > market_now() - interval '24 hours'))::int as new_last_day, (count(*) filter (where created_at > market_now() - interval '30 days'))::int as new_last30_days from agents where (agents.active and agents.marketable and agents.moderation_status = 'ok' and not agents.owner_banned)) a;

-- sumFinishedDays
select sum_figures(((market_now() - interval '1 hour') at time zone 'utc')::date) as more;
