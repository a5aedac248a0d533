-- Generated from packages/server/src/features/agents/repository.ts by `npm run generate`. Do not edit.

-- countAgentsOfWallets
select count(*)::int as "count"
from "agents"
where "owner_wallet" in ($1);

-- dropTwitterHandle
update agents a
set twitter_username = case when a.owner_user_id = u.id then a.twitter_username end, twitter_shown = false
from users u
where u.id = $1 and a.twitter_username = u.twitter_username and a.owner_wallet = any($2);

-- findActiveBySkeleton
select *
from "agents"
where "name_skeleton" = $1 and "active" = $2;

-- findAgent
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
where ("agents"."slug" = $2 or "agents"."id" = $3)
order by agents.slug = $4 desc
limit $5;

-- findAgentsById
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
where "agents"."id" in ($2);

-- insertAgent
insert into "agents" ("id", "slug", "name", "name_skeleton", "description", "avatar_url", "source", "capabilities", "ai_models", "endpoint_url", "api_key_hash", "api_key_sealed", "api_key_last4", "retired_key_hash", "webhook_secret_sealed", "owner_wallet", "owner_user_id", "twitter_username", "payout_wallet", "payout_chain", "payout_address_base", "active", "verified", "blue_check", "featured", "market_holder", "partner_badge", "said_wallet", "token_mint", "token_name", "token_symbol", "token_image_url", "moderation_status", "moderation_reason", "registration_ip", "created_at", "updated_at", "owner_banned", "previous_webhook_secret_sealed", "previous_webhook_secret_until", "webhook_extended_retries", "endpoint_since", "pending_payout", "pending_payout_at", "owner_proven", "payout_held_since", "token_mode", "token_creator_wallet", "token_tx_hash", "token_created_at", "token_launch_attempted_at", "said_pda", "said_tx_hash", "erc8004_registry", "erc8004_agent_id", "owner_conflict", "created_by", "stops_with", "owned_since_restore", "payout_wallet_signed_at", "payout_address_base_signed_at", "twitter_shown", "closed_at", "token_named_by", "token_read_at", "token_words")
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31, $32, $33, $34, $35, $36, $37, $38, $39, $40, $41, $42, $43, $44, $45, $46, $47, $48, $49, $50, $51, $52, $53, $54, $55, $56, $57, $58, $59, $60, $61, $62, $63, $64, $65, $66)
returning *;
insert into "agent_figures" ("agent_id")
values ($1);

-- isRetired
select 1
from retired_names
where hash = sha256(convert_to($1, 'utf8'));

-- listLeading
with this as (select date_trunc('week', market_now() at time zone 'utc') at time zone 'utc' as week_start)
  , of_buyers as ( select o.provider_agent_id as agent_id, count(*) as orders, sum(case when s.outcome is distinct from 'split' then o.price_micros when o.kind = 'standard' then s.agent_micros + s.fee_micros else s.agent_micros end) as micros, least(sum(order_weight(o.price_micros)), $1) as weight from orders o join counted_orders c on c.order_id = o.id left join settlements s on s.order_id = o.id where coalesce(o.completed_at, o.cancelled_at) >= (select week_start from this) and o.status = 'completed' and not o.related_party and (o.overdue_since is null or o.delivered_at is not null) group by o.provider_agent_id, c.buyer)
  , week as ( select agent_id, sum(orders)::int as orders, sum(micros)::bigint as micros, sum(weight)::int as weight from of_buyers group by agent_id) select agents.id
  , coalesce(week.orders, 0) as weekly_orders
  , coalesce(week.micros, 0) as weekly_micros
  , this.week_start
from this, agents
join agent_figures f on f.agent_id = agents.id
left
join week on week.agent_id = agents.id
where (agents.active and agents.marketable and agents.moderation_status = 'ok' and not agents.owner_banned)
  and (concat_ws('', agents.id, agents.slug, agents.name, agents.description, agents.token_name, agents.token_symbol, agents.token_mint) ilike $2)
order by coalesce(week.weight, 0) desc, coalesce(f.score, 0) desc, f.completed_weight desc, agents.id desc
limit $3;

-- listModels
select distinct model
from ( select unnest(a.ai_models) as model from agents a where (a.active and a.marketable and a.moderation_status = 'ok' and not a.owner_banned) union all select unnest(f.provider_models) from agent_figures f join agents a on a.id = f.agent_id where (a.active and a.marketable and a.moderation_status = 'ok' and not a.owner_banned) ) m
order by model;

-- listOwnedAgents
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
where ("agents"."owner_user_id" = $2 or "agents"."owner_wallet" in ($3))
order by "agents"."created_at" desc, "agents"."id" desc;

-- listShownAgents
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
where ("agents"."owner_user_id" = $2 or "agents"."owner_wallet" in ($3))
  and (agents.active and agents.marketable and agents.moderation_status = 'ok' and not agents.owner_banned)
  and ("agents"."owner_wallet" is null or "agents"."owner_wallet" in ($4))
order by "agents"."created_at" desc, "agents"."id" desc
limit $5;

-- lockAgent
select *
from "agents"
where "id" = $1 and "closed_at" is null for update;

-- lockPendingAgents
select *
from "agents"
where "pending_payout_at" is not null
order by "id" for update;

-- reserveSlug
select pg_advisory_xact_lock(hashtextextended($1, 0));
select "slug"
from "agents"
where ("slug" = $1 or "slug" like $2);
select 1
from retired_names
where hash = sha256(convert_to($1, 'utf8'));

-- spreadTwitterHandle
update "agents"
set "twitter_username" = $1
  , "twitter_shown" = $2::boolean
  and (agents.owner_wallet is null or exists (select 1 from user_wallets w where w.user_id = $3 and w.address = agents.owner_wallet and w.shown))
where ("owner_user_id" = $4 or "owner_wallet" in ($5))
  and ("twitter_username" is null or "twitter_username" = $6 or "twitter_username" = $7)
  and (twitter_username, twitter_shown) is distinct from ($8, $9::boolean and (agents.owner_wallet is null or exists (select 1 from user_wallets w where w.user_id = $10 and w.address = agents.owner_wallet and w.shown)));

-- updateAgent
update "agents"
set
where "id" = $1;

-- withFigures
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
join "agent_figures" on "agent_figures"."agent_id" = "agents"."id";

-- not shown: listed, ownedBy
