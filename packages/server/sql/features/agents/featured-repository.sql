-- Generated from packages/server/src/features/agents/featured-repository.ts by `npm run generate`. Do not edit.

-- endFeaturedPlace
select "featured"
from "agents"
where "id" = $1 for no key update;

-- listFeatured
select "agents".*
  , "agent_figures"."total_orders"
  , "agent_figures"."completed_orders"
  , "agent_figures"."overdue_orders"
  , "agent_figures"."late_orders"
  , "agent_figures"."revenue_micros"
  , "agent_figures"."rating_sum"
  , "agent_figures"."rating_count"
  , "agent_figures"."services_count"
  , "agent_figures"."service_categories"
  , "agent_figures"."provider_models"
  , "agent_figures"."min_price_micros"
  , "agent_figures"."settled_orders"
  , "agent_figures"."completed_weight"
  , "agent_figures"."rated_weight"
  , "agent_figures"."rating_points"
  , "agent_figures"."rating_rank"
  , "agent_figures"."counted_anew_at"
  , "agent_figures"."score_before"
  , "agent_figures"."kept_orders"
  , "agent_figures"."timed_orders"
  , "agent_figures"."on_time_orders"
  , "agent_figures"."disputes_lost"
  , "agent_figures"."buyers"
  , "agent_figures"."repeat_buyers"
  , "agent_figures"."first_response_seconds"
  , "agent_figures"."score_weight"
  , "agent_figures"."score_good"
  , "agent_figures"."score"
  , (select p.seen_at from agent_presence p where p.agent_id = agents.id) as "seen_at"
  , exists ( select 1 from agent_presence p where p.agent_id = agents.id and p.seen_at > market_now() - make_interval(mins => $1)) as "seen_lately"
  , agents.endpoint_url is not null
  and coalesce(( select w.error is not null from webhook_attempts w where w.agent_id = agents.id and w.url is not null order by w.agent_seq desc, w.number desc limit 1), false) as "endpoint_fails"
from "agents"
inner
join "agent_figures" on "agent_figures"."agent_id" = "agents"."id"
where (agents.active and agents.marketable and agents.moderation_status = 'ok' and not agents.owner_banned)
  and "agents"."featured" = $2
order by "agent_figures"."completed_weight" desc, "agents"."id"
limit $3;

-- lockFeaturable
select pg_advisory_xact_lock(hashtextextended('featured-places', 0));
select agents.id
  , agents.featured
  , (agents.active and agents.marketable and agents.moderation_status = 'ok' and not agents.owner_banned) as is_public
  , f.score_weight > 0 as has_weighed_order
  , char_length(agents.description) as description_length
  , agents.owner_user_id
  , agents.owner_wallet
  , (select count(*)::int from agents other where other.featured and other.id <> agents.id and (other.active and other.marketable and other.moderation_status = 'ok' and not other.owner_banned)) as other_places
  , (select count(*)::int from orders o join disputes d on d.order_id = o.id where o.provider_agent_id = agents.id and d.ruling in ('refund', 'split') and d.closed_at > market_now() - make_interval(days => $1)) as lost_disputes
from agents
join agent_figures f on f.agent_id = agents.id
where agents.id = $2 or agents.slug = $3
for update of agents;

-- writeFeatured
update "agents"
set "featured" = $1
where "id" = $2;
