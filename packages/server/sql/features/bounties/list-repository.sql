-- Generated from packages/server/src/features/bounties/list-repository.ts by `npm run generate`. Do not edit.

-- listBountiesOf
select "bounties"."id"
  , "bounties"."user_id"
  , "bounties"."client_wallet"
  , "bounties"."title"
  , "bounties"."brief"
  , "bounties"."category"
  , "bounties"."budget_micros"
  , "bounties"."deadline_hours"
  , "bounties"."claim_window_hours"
  , "bounties"."open_days"
  , "bounties"."mode"
  , "bounties"."claim_stake_micros"
  , "bounties"."reference_urls"
  , "bounties"."reference_images"
  , "bounties"."status"
  , "bounties"."order_id"
  , "bounties"."accepted_claim_id"
  , "bounties"."claims_count"
  , "bounties"."poster_banned"
  , "bounties"."taken_down_at"
  , "bounties"."expires_at"
  , "bounties"."held_at"
  , "bounties"."completed_at"
  , "bounties"."cancelled_at"
  , "bounties"."created_at"
  , "bounties"."updated_at"
  , coalesce(case when users.closed_at is not null then 'A closed account' when users.profile_saved_at is not null and case when coalesce("bounties"."client_wallet") is null then not exists (select 1 from user_wallets l where l.user_id = users.id and not l.shown) else not exists (select 1 from (values ("bounties"."client_wallet")) beside(address) where beside.address is not null and not exists (select 1 from user_wallets l where l.user_id = users.id and l.address = beside.address and l.shown)) end then coalesce(users.display_name, users.username) end, wallet_profiles.display_name) as "poster_name"
  , "won"."decided_at" as "accepted_at"
  , "winner"."id" as "winner_id"
  , "winner"."name" as "winner_name"
  , "winner"."slug" as "winner_slug"
  , "winner"."avatar_url" as "winner_avatar_url"
  , (winner.active and winner.marketable and winner.moderation_status = 'ok' and not winner.owner_banned) as "winner_listed"
  , "winner"."owner_wallet" as "winner_owner_wallet"
  , "winner"."owner_user_id" as "winner_owner_user_id"
  , "orders"."payment_network"
  , "orders"."payment_reference"
  , "orders"."payer"
  , "settlements"."agent_micros" as "earned_micros"
  , case
  when bounties.status = 'open'
  and bounties.claims_count >= $1 then ( select count(*)::int from bounty_claims c join agents a on a.id = c.agent_id where c.bounty_id = bounties.id and c.status not in ('withdrawn', 'lapsed') and (a.active and a.moderation_status = 'ok' and not a.owner_banned)) else bounties.claims_count end as "places_taken"
  , market_now() as "now"
from "bounties"
left
join "users" on "users"."id" = "bounties"."user_id"
left
join "wallet_profiles" on "wallet_profiles"."wallet" = "bounties"."client_wallet"
left
join "bounty_claims" as "won" on "won"."id" = "bounties"."accepted_claim_id"
left
join "agents" as "winner" on "winner"."id" = "won"."agent_id"
left
join "orders" on "orders"."id" = "bounties"."order_id"
left
join "settlements" on "settlements"."order_id" = "bounties"."order_id"
where (bounties.user_id = $2 or bounties.client_wallet = any($3::text[]) or bounties.id in ( select c.bounty_id from bounty_claims c join agents a on a.id = c.agent_id where (a.id = $4 or a.owner_user_id = $5 or a.owner_wallet = any($6::text[]))))
  and (concat_ws('', bounties.id, bounties.title, bounties.brief, bounties.category, coalesce(case when users.closed_at is not null then 'A closed account' when users.profile_saved_at is not null and case when coalesce("bounties"."client_wallet") is null then not exists (select 1 from user_wallets l where l.user_id = users.id and not l.shown) else not exists (select 1 from (values ("bounties"."client_wallet")) beside(address) where beside.address is not null and not exists (select 1 from user_wallets l where l.user_id = users.id and l.address = beside.address and l.shown)) end then coalesce(users.display_name, users.username) end, wallet_profiles.display_name)) ilike $7)
order by bounties.created_at desc, bounties.id desc
limit $8 offset $9;
select count(*)::int as "count"
from "bounties"
left
join "users" on "users"."id" = "bounties"."user_id"
left
join "wallet_profiles" on "wallet_profiles"."wallet" = "bounties"."client_wallet"
left
join "bounty_claims" as "won" on "won"."id" = "bounties"."accepted_claim_id"
left
join "agents" as "winner" on "winner"."id" = "won"."agent_id"
left
join "orders" on "orders"."id" = "bounties"."order_id"
left
join "settlements" on "settlements"."order_id" = "bounties"."order_id"
where (bounties.user_id = $1 or bounties.client_wallet = any($2::text[]) or bounties.id in ( select c.bounty_id from bounty_claims c join agents a on a.id = c.agent_id where (a.id = $3 or a.owner_user_id = $4 or a.owner_wallet = any($5::text[]))))
  and (concat_ws('', bounties.id, bounties.title, bounties.brief, bounties.category, coalesce(case when users.closed_at is not null then 'A closed account' when users.profile_saved_at is not null and case when coalesce("bounties"."client_wallet") is null then not exists (select 1 from user_wallets l where l.user_id = users.id and not l.shown) else not exists (select 1 from (values ("bounties"."client_wallet")) beside(address) where beside.address is not null and not exists (select 1 from user_wallets l where l.user_id = users.id and l.address = beside.address and l.shown)) end then coalesce(users.display_name, users.username) end, wallet_profiles.display_name)) ilike $6);

-- listNewest
select "bounties"."id"
  , "bounties"."user_id"
  , "bounties"."client_wallet"
  , "bounties"."title"
  , "bounties"."brief"
  , "bounties"."category"
  , "bounties"."budget_micros"
  , "bounties"."deadline_hours"
  , "bounties"."claim_window_hours"
  , "bounties"."open_days"
  , "bounties"."mode"
  , "bounties"."claim_stake_micros"
  , "bounties"."reference_urls"
  , "bounties"."reference_images"
  , "bounties"."status"
  , "bounties"."order_id"
  , "bounties"."accepted_claim_id"
  , "bounties"."claims_count"
  , "bounties"."poster_banned"
  , "bounties"."taken_down_at"
  , "bounties"."expires_at"
  , "bounties"."held_at"
  , "bounties"."completed_at"
  , "bounties"."cancelled_at"
  , "bounties"."created_at"
  , "bounties"."updated_at"
  , coalesce(case when users.closed_at is not null then 'A closed account' when users.profile_saved_at is not null and case when coalesce("bounties"."client_wallet") is null then not exists (select 1 from user_wallets l where l.user_id = users.id and not l.shown) else not exists (select 1 from (values ("bounties"."client_wallet")) beside(address) where beside.address is not null and not exists (select 1 from user_wallets l where l.user_id = users.id and l.address = beside.address and l.shown)) end then coalesce(users.display_name, users.username) end, wallet_profiles.display_name) as "poster_name"
  , "won"."decided_at" as "accepted_at"
  , "winner"."id" as "winner_id"
  , "winner"."name" as "winner_name"
  , "winner"."slug" as "winner_slug"
  , "winner"."avatar_url" as "winner_avatar_url"
  , (winner.active and winner.marketable and winner.moderation_status = 'ok' and not winner.owner_banned) as "winner_listed"
  , "winner"."owner_wallet" as "winner_owner_wallet"
  , "winner"."owner_user_id" as "winner_owner_user_id"
  , "orders"."payment_network"
  , "orders"."payment_reference"
  , "orders"."payer"
  , "settlements"."agent_micros" as "earned_micros"
  , case
  when bounties.status = 'open'
  and bounties.claims_count >= $1 then ( select count(*)::int from bounty_claims c join agents a on a.id = c.agent_id where c.bounty_id = bounties.id and c.status not in ('withdrawn', 'lapsed') and (a.active and a.moderation_status = 'ok' and not a.owner_banned)) else bounties.claims_count end as "places_taken"
  , market_now() as "now"
from "bounties"
left
join "users" on "users"."id" = "bounties"."user_id"
left
join "wallet_profiles" on "wallet_profiles"."wallet" = "bounties"."client_wallet"
left
join "bounty_claims" as "won" on "won"."id" = "bounties"."accepted_claim_id"
left
join "agents" as "winner" on "winner"."id" = "won"."agent_id"
left
join "orders" on "orders"."id" = "bounties"."order_id"
left
join "settlements" on "settlements"."order_id" = "bounties"."order_id"
order by "bounties"."created_at" desc, "bounties"."id" desc
limit $2;

-- listOpen
select "id"
  , "title"
  , "brief"
  , "category"
  , "budget_micros"
  , "claim_stake_micros"
  , "deadline_hours"
  , "expires_at"
  , "created_at"
from "bounties"
where "status" = $1 and "poster_banned" = $2 and "category" = $3
order by "created_at" desc, "id" desc
limit $4;

-- readFigures
select count(*) filter (where b.status = 'open')::int as live
  , count(*) filter (where b.status = 'completed')::int as completed
  , count(*)::int as total
  , coalesce(sum(b.budget_micros) filter (where b.status = 'open'), 0)::bigint as open_micros
  , coalesce(sum(b.budget_micros), 0)::bigint as total_micros
  , coalesce(sum(b.claims_count), 0)::int as submissions
  , coalesce(sum(s.agent_micros), 0)::bigint as paid_out_micros
from bounties b
left
join settlements s on s.order_id = b.order_id
where b.taken_down_at is null and not (b.status = 'open' and b.poster_banned);

-- not shown: readFilters, searchBounties
