-- Generated from packages/server/src/features/accounts/identity/repository.ts by `npm run generate`. Do not edit.

-- confirmWalletLink
update "user_wallets"
set "confirmed_at" = $1, "proven_on" = $2
where "id" = $3 and "confirmed_at" is null;

-- deleteWalletLink
delete from "user_wallets"
where "id" = $1 and "user_id" = $2
returning *;
update user_wallets
set is_primary = true
where id = (select id from user_wallets where user_id = $1 and chain = $2 order by linked_at, id limit 1)
  and not exists (select 1 from user_wallets where user_id = $3 and chain = $4 and is_primary)
returning id;
select $1::timestamptz <= market_now() - make_interval(hours => $2) as lasted;
insert into "undone_links" ("user_id", "chain", "address", "by_account")
values ($1, $2, $3, $4)
on conflict ("user_id", "chain", "address") do nothing;

-- deleteWalletLinkOf
delete from "user_wallets"
where "chain" = $1 and "address" = $2
returning *;
update user_wallets
set is_primary = true
where id = (select id from user_wallets where user_id = $1 and chain = $2 order by linked_at, id limit 1)
  and not exists (select 1 from user_wallets where user_id = $3 and chain = $4 and is_primary)
returning id;
insert into "undone_links" ("user_id", "chain", "address", "by_account")
values ($1, $2, $3, $4)
on conflict ("user_id", "chain", "address") do update
set "by_account" = $5, "undone_at" = market_now();

-- findUser
select *
from "users"
where "id" = $1;

-- findUserByUsername
select *
from "users"
where "username" = $1;

-- findWalletLink
select *
from "user_wallets"
where "chain" = $1 and "address" = $2;

-- findWalletProfile
select *
from "wallet_profiles"
where "wallet" = $1;

-- forgetHiddenNames
update reviews r
set reviewer_name = n.name, reviewer_id = n.name
from (select o.id, case when coalesce(o.client_wallet, o.payer) is null then 'A buyer' else left(coalesce(o.client_wallet, o.payer), 4) || '...' || right(coalesce(o.client_wallet, o.payer), 4) end as name from orders o where o.client_agent_id is null and o.user_id = $1 and exists (select from (values (o.client_wallet), (o.payer)) beside(address) where beside.address is not null and not exists (select from user_wallets l where l.user_id = o.user_id and l.address = beside.address and l.shown))) n
where n.id = r.order_id and r.reviewer_name <> n.name;
update order_messages m
set sender_name = n.name, sender_id = case when m.sender_id = m.sender_name then n.name else m.sender_id end
from (select o.id, case when coalesce(o.client_wallet, o.payer) is null then 'A buyer' else left(coalesce(o.client_wallet, o.payer), 4) || '...' || right(coalesce(o.client_wallet, o.payer), 4) end as name from orders o where o.client_agent_id is null and o.user_id = $1 and exists (select from (values (o.client_wallet), (o.payer)) beside(address) where beside.address is not null and not exists (select from user_wallets l where l.user_id = o.user_id and l.address = beside.address and l.shown))) n
where n.id = m.order_id and m.sender_type = 'client' and m.sender_name <> n.name;

-- forgetProfile
select *
from "users"
where "id" = $1 for update;
update "users"
set "display_name" = $1
  , "bio" = $2
  , "avatar_url" = $3
  , "profile_saved_at" = $4
  , "shows_twitter" = $5
  , "updated_at" = $6
where "id" = $7
returning *;
update "user_wallets"
set "shown" = address = any($1)
where "user_id" = $2
returning *;
update reviews r
set reviewer_name = n.name, reviewer_id = n.name
from (select o.id, case when coalesce(o.client_wallet, o.payer) is null then 'A buyer' else left(coalesce(o.client_wallet, o.payer), 4) || '...' || right(coalesce(o.client_wallet, o.payer), 4) end as name from orders o where o.client_agent_id is null and o.user_id = $1) n
where n.id = r.order_id and r.reviewer_name <> n.name;
update order_messages m
set sender_name = n.name, sender_id = case when m.sender_id = m.sender_name then n.name else m.sender_id end
from (select o.id, case when coalesce(o.client_wallet, o.payer) is null then 'A buyer' else left(coalesce(o.client_wallet, o.payer), 4) || '...' || right(coalesce(o.client_wallet, o.payer), 4) end as name from orders o where o.client_agent_id is null and o.user_id = $1) n
where n.id = m.order_id and m.sender_type = 'client' and m.sender_name <> n.name;

-- forgetWalletProfile
delete from "wallet_profiles"
where "wallet" = $1;
update reviews r
set reviewer_name = n.name, reviewer_id = n.name
from (select o.id, case when coalesce(o.client_wallet, o.payer) is null then 'A buyer' else left(coalesce(o.client_wallet, o.payer), 4) || '...' || right(coalesce(o.client_wallet, o.payer), 4) end as name from orders o where o.client_agent_id is null and o.client_wallet = $1 and o.user_id is null) n
where n.id = r.order_id and r.reviewer_name <> n.name;
update order_messages m
set sender_name = n.name, sender_id = case when m.sender_id = m.sender_name then n.name else m.sender_id end
from (select o.id, case when coalesce(o.client_wallet, o.payer) is null then 'A buyer' else left(coalesce(o.client_wallet, o.payer), 4) || '...' || right(coalesce(o.client_wallet, o.payer), 4) end as name from orders o where o.client_agent_id is null and o.client_wallet = $1 and o.user_id is null) n
where n.id = m.order_id and m.sender_type = 'client' and m.sender_name <> n.name;

-- insertUser
insert into "users" ("id", "username", "display_name", "email", "google_email", "google_subject", "twitter_username", "twitter_subject", "avatar_url", "bio", "created_at", "updated_at", "provider_name", "provider_avatar_url", "profile_saved_at", "shows_twitter", "closed_at")
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)
on conflict ("username") do nothing
returning *;

-- insertWalletLink
insert into "user_wallets" ("is_primary")
values ($1)
on conflict ("chain", "address") do nothing
returning *;
update user_wallets
set is_primary = true
where id = (select id from user_wallets where user_id = $1 and chain = $2 order by linked_at, id limit 1)
  and not exists (select 1 from user_wallets where user_id = $3 and chain = $4 and is_primary)
returning id;

-- listUndone
select address
from undone_links
where user_id = $1
union select a
from unnest($2::text[]) a
where exists (select from parted_wallets p where p.hash = sha256(convert_to($3 || ' ' || a, 'utf8')));

-- listWallets
select *
from "user_wallets"
where "user_id" = $1
order by "linked_at", "id";

-- lockAccountCreation
select pg_advisory_xact_lock(hashtextextended($1, 0));

-- lockUser
select *
from "users"
where "id" = $1 for update;

-- renewLinks
update "user_wallets"
set "confirmed_at" = market_now()
where "confirmed_at" is not null;

-- saveWalletProfile
insert into "wallet_profiles" ("wallet", "created_at", "updated_at")
values ($1, $2, $3)
on conflict ("wallet") do update
set "updated_at" = $4
returning *;

-- showWallets
update "user_wallets"
set "shown" = address = any($1)
where "user_id" = $2
returning *;

-- updateUser
update "users"
set "id" = $1
  , "username" = $2
  , "display_name" = $3
  , "email" = $4
  , "google_email" = $5
  , "google_subject" = $6
  , "twitter_username" = $7
  , "twitter_subject" = $8
  , "avatar_url" = $9
  , "bio" = $10
  , "created_at" = $11
  , "updated_at" = $12
  , "provider_name" = $13
  , "provider_avatar_url" = $14
  , "profile_saved_at" = $15
  , "shows_twitter" = $16
  , "closed_at" = $17
where "id" = $18
returning *;
