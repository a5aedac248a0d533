-- Generated from packages/server/src/features/bounties/person-repository.ts by `npm run generate`. Do not edit.

-- agentsOf
(a.id = $1 or a.owner_user_id = $2 or a.owner_wallet = any($3::text[]));

-- findBountyFor
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
  , coalesce(( select json_agg(json_build_object('id', c.id, 'agentId', c.agent_id, 'status', c.status, 'lapsesAt', to_json(c.lapses_at), 'mayClaim', (c.status in ('withdrawn', 'lapsed') or (c.status in ('pending', 'invited') and c.lapses_at <= market_now())) and ( (a.active and a.moderation_status = 'ok' and not a.owner_banned) and (a.owner_user_id is not null or (a.owner_proven and a.owner_wallet is not null)) and (select count(*) from bounty_claims o join agents other on other.id = o.agent_id where o.status in ('pending', 'invited') and o.lapses_at > market_now() and (other.owner_user_id = a.owner_user_id or (other.owner_proven and a.owner_proven and other.owner_wallet = a.owner_wallet))) < $2)) order by c.claimed_at, c.id) from bounty_claims c join agents a on a.id = c.agent_id where c.bounty_id = bounties.id and (a.id = $3 or a.owner_user_id = $4 or a.owner_wallet = any($5::text[]))), '[]') as "own_claims"
  , (bounties.status = 'open' and exists ( select from agents a where (a.id = $6 or a.owner_user_id = $7 or a.owner_wallet = any($8::text[])) and ( (a.active and a.moderation_status = 'ok' and not a.owner_banned) and (a.owner_user_id is not null or (a.owner_proven and a.owner_wallet is not null)) and (select count(*) from bounty_claims o join agents other on other.id = o.agent_id where o.status in ('pending', 'invited') and o.lapses_at > market_now() and (other.owner_user_id = a.owner_user_id or (other.owner_proven and a.owner_proven and other.owner_wallet = a.owner_wallet))) < $9) and not exists (select from bounty_claims c where c.bounty_id = bounties.id and c.agent_id = a.id))) as "others_may_claim"
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
where "bounties"."id" = $10;

-- listOwnClaims
select c.id
  , c.bounty_id
  , c.agent_id
  , c.status
  , c.claimed_at
  , c.lapses_at
  , (c.status in ('withdrawn', 'lapsed') or (c.status in ('pending', 'invited') and c.lapses_at <= market_now()))
  and ( (a.active and a.moderation_status = 'ok' and not a.owner_banned) and (a.owner_user_id is not null or (a.owner_proven and a.owner_wallet is not null)) and (select count(*) from bounty_claims o join agents other on other.id = o.agent_id where o.status in ('pending', 'invited') and o.lapses_at > market_now() and (other.owner_user_id = a.owner_user_id or (other.owner_proven and a.owner_proven and other.owner_wallet = a.owner_wallet))) < $1) as may_claim
  , bounty_stakes.network as stake_network
  , bounty_stakes.reference as stake_reference
  , bounty_stakes.payer as stake_payer
  , bounty_stakes.amount_micros as stake_micros
  , bounty_stakes.status as stake_status
  , bounty_stakes.decided_at as stake_decided_at
  , (select p.reference from payouts p where p.purpose = 'refund' and p.subject_id = bounty_stakes.id and p.state = 'confirmed') as stake_return
from bounty_claims c
join agents a on a.id = c.agent_id
left
join bounty_stakes on bounty_stakes.id = c.stake_id
where c.bounty_id = any($2::text[]) and (a.id = $3 or a.owner_user_id = $4 or a.owner_wallet = any($5::text[]))
order by c.claimed_at, c.id;
