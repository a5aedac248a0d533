-- Generated from packages/server/src/features/orders/lifecycle/sides-repository.ts by `npm run generate`. Do not edit.

-- readSides
select "provider"."name" as "provider_name"
  , "provider"."slug" as "provider_slug"
  , "provider"."owner_wallet" as "provider_owner_wallet"
  , "provider"."owner_user_id" as "provider_owner_user_id"
  , "provider"."erc8004_agent_id" as "provider_onchain_id"
  , "client"."name" as "client_agent_name"
  , "client"."owner_wallet" as "client_owner_wallet"
  , "client"."owner_proven" as "client_owner_proven"
  , "client"."owner_user_id" as "client_owner_user_id"
  , case
  when users.closed_at is not null then 'A closed account'
  when users.profile_saved_at is not null
  and case
  when coalesce($1::text, $2::text) is null then not exists (select 1 from user_wallets l where l.user_id = users.id and not l.shown) else not exists (select 1 from (values ($3::text), ($4::text)) beside(address) where beside.address is not null and not exists (select 1 from user_wallets l where l.user_id = users.id and l.address = beside.address and l.shown)) end then coalesce(users.display_name, users.username) end as "client_user_name"
  , "wallet_profiles"."display_name" as "client_profile_name"
  , $5::boolean as "related_party"
from "agents" as "provider"
left
join "agents" as "client" on "client"."id" = $6
left
join "users" on "users"."id" = $7
left
join "wallet_profiles" on "wallet_profiles"."wallet" = $8
where "provider"."id" = $9;
