-- Generated from packages/server/src/features/bounties/repository.ts by `npm run generate`. Do not edit.

-- closeClaims
update "bounty_claims"
set "status" = case when id = $1 then 'accepted' else 'rejected' end, "decided_at" = $2
where "bounty_id" = $3 and "status" in ($4, $5);

-- extendBounty
update "bounties"
set "open_days" = $1, "expires_at" = $2, "updated_at" = $3
where "id" = $4;

-- findBounty
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
where "bounties"."id" = $2;

-- findClaim
select "bounty_claims".*
  , "agents"."name" as "agent_name"
  , "agents"."slug" as "agent_slug"
  , "agents"."avatar_url" as "agent_avatar_url"
  , "agents"."active" as "agent_active"
  , "agents"."moderation_status" as "agent_moderation_status"
  , "agents"."owner_banned" as "agent_owner_banned"
  , "agents"."owner_wallet"
  , "agents"."owner_user_id"
  , "agent_figures"."completed_orders"
  , "agent_figures"."rating_sum"
  , "agent_figures"."rating_count"
  , "agent_figures"."score_weight"
  , "agent_figures"."score_good"
  , "bounty_stakes"."network" as "stake_network"
  , "bounty_stakes"."reference" as "stake_reference"
  , "bounty_stakes"."payer" as "stake_payer"
  , "bounty_stakes"."amount_micros" as "stake_micros"
  , "bounty_stakes"."status" as "stake_status"
  , "bounty_stakes"."decided_at" as "stake_decided_at"
  , (select p.reference from payouts p where p.purpose = 'refund' and p.subject_id = bounty_stakes.id and p.state = 'confirmed') as "stake_return"
from "bounty_claims"
inner
join "agents" on "agents"."id" = "bounty_claims"."agent_id"
inner
join "agent_figures" on "agent_figures"."agent_id" = "bounty_claims"."agent_id"
left
join "bounty_stakes" on "bounty_stakes"."id" = "bounty_claims"."stake_id"
where "bounty_claims"."bounty_id" = $1 and "bounty_claims"."id" = $2;

-- findClaimOf
select "bounty_claims".*
  , "agents"."name" as "agent_name"
  , "agents"."slug" as "agent_slug"
  , "agents"."avatar_url" as "agent_avatar_url"
  , "agents"."active" as "agent_active"
  , "agents"."moderation_status" as "agent_moderation_status"
  , "agents"."owner_banned" as "agent_owner_banned"
  , "agents"."owner_wallet"
  , "agents"."owner_user_id"
  , "agent_figures"."completed_orders"
  , "agent_figures"."rating_sum"
  , "agent_figures"."rating_count"
  , "agent_figures"."score_weight"
  , "agent_figures"."score_good"
  , "bounty_stakes"."network" as "stake_network"
  , "bounty_stakes"."reference" as "stake_reference"
  , "bounty_stakes"."payer" as "stake_payer"
  , "bounty_stakes"."amount_micros" as "stake_micros"
  , "bounty_stakes"."status" as "stake_status"
  , "bounty_stakes"."decided_at" as "stake_decided_at"
  , (select p.reference from payouts p where p.purpose = 'refund' and p.subject_id = bounty_stakes.id and p.state = 'confirmed') as "stake_return"
from "bounty_claims"
inner
join "agents" on "agents"."id" = "bounty_claims"."agent_id"
inner
join "agent_figures" on "agent_figures"."agent_id" = "bounty_claims"."agent_id"
left
join "bounty_stakes" on "bounty_stakes"."id" = "bounty_claims"."stake_id"
where "bounty_claims"."bounty_id" = $1 and "bounty_claims"."agent_id" = $2;

-- hideBounty
update "bounties"
set "taken_down_at" = $1, "updated_at" = $2
where "id" = $3;

-- hireable
(a.active and a.moderation_status = 'ok' and not a.owner_banned);

-- holdBounty
update "bounties"
set "expires_at" = $1, "held_at" = $2, "updated_at" = $3
where "id" = $4;

-- holdClaim
update "bounty_claims"
set "lapses_at" = $1, "held_at" = $2
where "id" = $3;

-- insertBounty
insert into "bounties" ("id", "user_id", "client_wallet", "title", "brief", "category", "budget_micros", "deadline_hours", "claim_window_hours", "reference_urls", "reference_images", "status", "order_id", "accepted_claim_id", "claims_count", "expires_at", "completed_at", "cancelled_at", "created_at", "updated_at", "mode", "poster_banned", "claim_stake_micros", "held_at", "taken_down_at", "open_days")
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26);

-- inviteClaim
update "bounty_claims"
set "status" = $1, "invited_at" = $2
where "id" = $3;

-- lapseClaims
update "bounty_claims"
set "status" = $1, "decided_at" = $2
where "id" in ($3);
update "bounties"
set "claims_count" = claims_count + $1, "updated_at" = $2
where "id" = $3;

-- listClaims
select "bounty_claims".*
  , "agents"."name" as "agent_name"
  , "agents"."slug" as "agent_slug"
  , "agents"."avatar_url" as "agent_avatar_url"
  , "agents"."active" as "agent_active"
  , "agents"."moderation_status" as "agent_moderation_status"
  , "agents"."owner_banned" as "agent_owner_banned"
  , "agents"."owner_wallet"
  , "agents"."owner_user_id"
  , "agent_figures"."completed_orders"
  , "agent_figures"."rating_sum"
  , "agent_figures"."rating_count"
  , "agent_figures"."score_weight"
  , "agent_figures"."score_good"
  , "bounty_stakes"."network" as "stake_network"
  , "bounty_stakes"."reference" as "stake_reference"
  , "bounty_stakes"."payer" as "stake_payer"
  , "bounty_stakes"."amount_micros" as "stake_micros"
  , "bounty_stakes"."status" as "stake_status"
  , "bounty_stakes"."decided_at" as "stake_decided_at"
  , (select p.reference from payouts p where p.purpose = 'refund' and p.subject_id = bounty_stakes.id and p.state = 'confirmed') as "stake_return"
from "bounty_claims"
inner
join "agents" on "agents"."id" = "bounty_claims"."agent_id"
inner
join "agent_figures" on "agent_figures"."agent_id" = "bounty_claims"."agent_id"
left
join "bounty_stakes" on "bounty_stakes"."id" = "bounty_claims"."stake_id"
where "bounty_claims"."bounty_id" in ($1)
order by "bounty_claims"."claimed_at", "bounty_claims"."id";

-- listDue
select "id"
from "bounties"
where "status" = $1 and "expires_at" <= market_now()
order by "expires_at"
limit $2;

-- listLapsing
select distinct "bounties"."id"
from "bounty_claims"
inner
join "bounties" on "bounties"."id" = "bounty_claims"."bounty_id"
where "bounty_claims"."status" in ($1, $2) and "bounty_claims"."lapses_at" <= market_now() and "bounties"."status" = $3
limit $4;

-- lockBounty
select "id"
from "bounties"
where "id" = $1 for update;
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
where "bounties"."id" = $2;

-- lockOpenClaims
select pg_advisory_xact_lock(hashtextextended($1, 0));
select count(*)::int as count
from bounty_claims c
join agents a on a.id = c.agent_id
where c.status in ('pending', 'invited')
  and c.lapses_at > market_now()
  and (a.owner_user_id = $1 or (a.owner_proven and a.owner_wallet = $2));

-- moveBounty
with moved as (update "bounties" set "id" = $1, "user_id" = $2, "client_wallet" = $3, "title" = $4, "brief" = $5, "category" = $6, "budget_micros" = $7, "deadline_hours" = $8, "claim_window_hours" = $9, "reference_urls" = $10, "reference_images" = $11, "status" = $12, "order_id" = $13, "accepted_claim_id" = $14, "claims_count" = $15, "expires_at" = $16, "completed_at" = $17, "cancelled_at" = $18, "created_at" = $19, "updated_at" = $20, "mode" = $21, "poster_banned" = $22, "claim_stake_micros" = $23, "held_at" = $24, "taken_down_at" = $25, "open_days" = $26 where "id" = $27 and "status" = $28 returning 1) select 1 / count(*) as moved
from moved;

-- posterName
coalesce(case when users.closed_at is not null then 'A closed account' when users.profile_saved_at is not null and case when coalesce("bounties"."client_wallet") is null then not exists (select 1 from user_wallets l where l.user_id = users.id and not l.shown) else not exists (select 1 from (values ("bounties"."client_wallet")) beside(address) where beside.address is not null and not exists (select 1 from user_wallets l where l.user_id = users.id and l.address = beside.address and l.shown)) end then coalesce(users.display_name, users.username) end, wallet_profiles.display_name);

-- saveClaim
insert into "bounty_claims" ("id", "bounty_id", "agent_id", "message", "status", "claimed_at", "decided_at", "invited_at", "stake_id", "lapses_at", "held_at")
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
on conflict on constraint "bounty_claims_once" do update
set "status" = $12
  , "message" = $13
  , "stake_id" = $14
  , "claimed_at" = $15
  , "lapses_at" = $16
  , "held_at" = $17
  , "invited_at" = $18
  , "decided_at" = $19;
update "bounties"
set "claims_count" = claims_count + $1, "updated_at" = $2
where "id" = $3;

-- selectBounties
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
join "settlements" on "settlements"."order_id" = "bounties"."order_id";

-- withdrawClaim
update "bounty_claims"
set "status" = $1, "decided_at" = $2
where "id" = $3;
update "bounties"
set "claims_count" = claims_count + $1, "updated_at" = $2
where "id" = $3;
