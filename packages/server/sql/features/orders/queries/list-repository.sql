-- Generated from packages/server/src/features/orders/queries/list-repository.ts by `npm run generate`. Do not edit.

-- countUnread
select o.id, count(m.*)::int as count
from jsonb_to_recordset($1::jsonb) as o (id text, side text)
join order_messages m on m.order_id = o.id and m.sender_type <> o.side
left
join message_reads r on r.order_id = o.id and r.side = o.side
where m.number > coalesce(r.last_number, 0)
group by o.id;

-- listOrdersOf
select "orders".*
  , "provider"."name" as "provider_name"
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
  when coalesce("orders"."client_wallet", "orders"."payer") is null then not exists (select 1 from user_wallets l where l.user_id = users.id and not l.shown) else not exists (select 1 from (values ("orders"."client_wallet"), ("orders"."payer")) beside(address) where beside.address is not null and not exists (select 1 from user_wallets l where l.user_id = users.id and l.address = beside.address and l.shown)) end then coalesce(users.display_name, users.username) end as "client_user_name"
  , "wallet_profiles"."display_name" as "client_profile_name"
  , (select count(*)::int from deliverables d where d.order_id = orders.id and d.is_request and d.status in ('pending', 'generating')) as "open_requests"
  , (select coalesce(max(d.round), 0)::int from deliverables d where d.order_id = orders.id) as "last_round"
  , exists (select 1 from settlements s where s.order_id = orders.id) as "settled"
  , exists (select 1 from reviews r where r.order_id = orders.id) as "reviewed"
  , exists (select 1 from payment_claims c join chain_receipts r using (caip2, reference) where c.subject_id = orders.id and r.finality = 'gone') as "payment_reverted"
  , (select max(c.contestable_until) from payment_claims c where c.subject_id = orders.id) as "contestable_until"
  , market_now() as "now"
  , (orders.client_agent_id = $1 or orders.user_id = $2 or (orders.client_wallet = any($3) and ("orders"."kind" <> 'machine' or "orders"."payment_network" is null or "orders"."client_wallet" is null or not "orders"."client_wallet" = any($4::text[]) or ("orders"."client_wallet" || ' ' || "orders"."payment_network") = any($5::text[]))) or orders.client_agent_id in (select own.id from agents own where own.owner_user_id = $6 or own.owner_wallet = any($7))) as "is_client"
  , case
  when orders.status in ('quoted', 'accepted', 'delivered') then 'client'
  when orders.status in ('pending_quote', 'paid', 'revision_requested') then 'provider'
  when orders.status = 'in_progress'
  and orders.workspace_ends_at is null then 'provider'
  when orders.status = 'in_progress'
  and exists (select 1 from deliverables d where d.order_id = orders.id and d.is_request and d.status in ('pending', 'generating')) then 'provider' end as "needs"
from "orders"
inner
join "agents" as "provider" on "provider"."id" = "orders"."provider_agent_id"
left
join "agents" as "client" on "client"."id" = "orders"."client_agent_id"
left
join "users" on "users"."id" = "orders"."user_id"
left
join "wallet_profiles" on "wallet_profiles"."wallet" = "orders"."client_wallet"
where ((orders.client_agent_id = $8 or orders.user_id = $9 or (orders.client_wallet = any($10) and ("orders"."kind" <> 'machine' or "orders"."payment_network" is null or "orders"."client_wallet" is null or not "orders"."client_wallet" = any($11::text[]) or ("orders"."client_wallet" || ' ' || "orders"."payment_network") = any($12::text[]))) or orders.client_agent_id in (select own.id from agents own where own.owner_user_id = $13 or own.owner_wallet = any($14))) or (orders.provider_agent_id = $15 or orders.provider_agent_id in (select own.id from agents own where own.owner_user_id = $16 or own.owner_wallet = any($17))))
  and (concat_ws('', orders.id, orders.service_id, orders.bounty_id, orders.service_title, orders.category, orders.brief, provider.id, provider.name, provider.slug, orders.client_agent_id, coalesce(client.name, case when users.closed_at is not null then 'A closed account' when users.profile_saved_at is not null and case when coalesce("orders"."client_wallet", "orders"."payer") is null then not exists (select 1 from user_wallets l where l.user_id = users.id and not l.shown) else not exists (select 1 from (values ("orders"."client_wallet"), ("orders"."payer")) beside(address) where beside.address is not null and not exists (select 1 from user_wallets l where l.user_id = users.id and l.address = beside.address and l.shown)) end then coalesce(users.display_name, users.username) end, wallet_profiles.display_name), orders.client_wallet, orders.payer, orders.payment_reference, (select string_agg(p.reference, ' ') from payouts p where p.subject_id = orders.id and p.state = 'confirmed' and p.purpose = case orders.status when 'cancelled' then 'refund' else 'payout' end)) ilike $18)
  and false
  and ("provider"."id" = $19 or "provider"."slug" = $20)
  and case
  when orders.status in ('quoted', 'accepted', 'delivered') then 'client'
  when orders.status in ('pending_quote', 'paid', 'revision_requested') then 'provider'
  when orders.status = 'in_progress'
  and orders.workspace_ends_at is null then 'provider'
  when orders.status = 'in_progress'
  and exists (select 1 from deliverables d where d.order_id = orders.id and d.is_request and d.status in ('pending', 'generating')) then 'provider' end = case
  when (orders.client_agent_id = $21 or orders.user_id = $22 or (orders.client_wallet = any($23) and ("orders"."kind" <> 'machine' or "orders"."payment_network" is null or "orders"."client_wallet" is null or not "orders"."client_wallet" = any($24::text[]) or ("orders"."client_wallet" || ' ' || "orders"."payment_network") = any($25::text[]))) or orders.client_agent_id in (select own.id from agents own where own.owner_user_id = $26 or own.owner_wallet = any($27))) then 'client' else 'provider' end
order by orders.created_at desc, orders.id desc
limit $28 offset $29;
select count(*)::int as "count"
from "orders"
inner
join "agents" as "provider" on "provider"."id" = "orders"."provider_agent_id"
left
join "agents" as "client" on "client"."id" = "orders"."client_agent_id"
left
join "users" on "users"."id" = "orders"."user_id"
left
join "wallet_profiles" on "wallet_profiles"."wallet" = "orders"."client_wallet"
where ((orders.client_agent_id = $1 or orders.user_id = $2 or (orders.client_wallet = any($3) and ("orders"."kind" <> 'machine' or "orders"."payment_network" is null or "orders"."client_wallet" is null or not "orders"."client_wallet" = any($4::text[]) or ("orders"."client_wallet" || ' ' || "orders"."payment_network") = any($5::text[]))) or orders.client_agent_id in (select own.id from agents own where own.owner_user_id = $6 or own.owner_wallet = any($7))) or (orders.provider_agent_id = $8 or orders.provider_agent_id in (select own.id from agents own where own.owner_user_id = $9 or own.owner_wallet = any($10))))
  and (concat_ws('', orders.id, orders.service_id, orders.bounty_id, orders.service_title, orders.category, orders.brief, provider.id, provider.name, provider.slug, orders.client_agent_id, coalesce(client.name, case when users.closed_at is not null then 'A closed account' when users.profile_saved_at is not null and case when coalesce("orders"."client_wallet", "orders"."payer") is null then not exists (select 1 from user_wallets l where l.user_id = users.id and not l.shown) else not exists (select 1 from (values ("orders"."client_wallet"), ("orders"."payer")) beside(address) where beside.address is not null and not exists (select 1 from user_wallets l where l.user_id = users.id and l.address = beside.address and l.shown)) end then coalesce(users.display_name, users.username) end, wallet_profiles.display_name), orders.client_wallet, orders.payer, orders.payment_reference, (select string_agg(p.reference, ' ') from payouts p where p.subject_id = orders.id and p.state = 'confirmed' and p.purpose = case orders.status when 'cancelled' then 'refund' else 'payout' end)) ilike $11)
  and false
  and ("provider"."id" = $12 or "provider"."slug" = $13)
  and case
  when orders.status in ('quoted', 'accepted', 'delivered') then 'client'
  when orders.status in ('pending_quote', 'paid', 'revision_requested') then 'provider'
  when orders.status = 'in_progress'
  and orders.workspace_ends_at is null then 'provider'
  when orders.status = 'in_progress'
  and exists (select 1 from deliverables d where d.order_id = orders.id and d.is_request and d.status in ('pending', 'generating')) then 'provider' end = case
  when (orders.client_agent_id = $14 or orders.user_id = $15 or (orders.client_wallet = any($16) and ("orders"."kind" <> 'machine' or "orders"."payment_network" is null or "orders"."client_wallet" is null or not "orders"."client_wallet" = any($17::text[]) or ("orders"."client_wallet" || ' ' || "orders"."payment_network") = any($18::text[]))) or orders.client_agent_id in (select own.id from agents own where own.owner_user_id = $19 or own.owner_wallet = any($20))) then 'client' else 'provider' end;

-- listOrdersOfAgent
select "orders".*
  , "provider"."name" as "provider_name"
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
  when coalesce("orders"."client_wallet", "orders"."payer") is null then not exists (select 1 from user_wallets l where l.user_id = users.id and not l.shown) else not exists (select 1 from (values ("orders"."client_wallet"), ("orders"."payer")) beside(address) where beside.address is not null and not exists (select 1 from user_wallets l where l.user_id = users.id and l.address = beside.address and l.shown)) end then coalesce(users.display_name, users.username) end as "client_user_name"
  , "wallet_profiles"."display_name" as "client_profile_name"
  , (select count(*)::int from deliverables d where d.order_id = orders.id and d.is_request and d.status in ('pending', 'generating')) as "open_requests"
  , (select coalesce(max(d.round), 0)::int from deliverables d where d.order_id = orders.id) as "last_round"
  , exists (select 1 from settlements s where s.order_id = orders.id) as "settled"
  , exists (select 1 from reviews r where r.order_id = orders.id) as "reviewed"
  , exists (select 1 from payment_claims c join chain_receipts r using (caip2, reference) where c.subject_id = orders.id and r.finality = 'gone') as "payment_reverted"
  , (select max(c.contestable_until) from payment_claims c where c.subject_id = orders.id) as "contestable_until"
  , market_now() as "now"
  , false as "is_client"
  , case
  when orders.status in ('quoted', 'accepted', 'delivered') then 'client'
  when orders.status in ('pending_quote', 'paid', 'revision_requested') then 'provider'
  when orders.status = 'in_progress'
  and orders.workspace_ends_at is null then 'provider'
  when orders.status = 'in_progress'
  and exists (select 1 from deliverables d where d.order_id = orders.id and d.is_request and d.status in ('pending', 'generating')) then 'provider' end as "needs"
from "orders"
inner
join "agents" as "provider" on "provider"."id" = "orders"."provider_agent_id"
left
join "agents" as "client" on "client"."id" = "orders"."client_agent_id"
left
join "users" on "users"."id" = "orders"."user_id"
left
join "wallet_profiles" on "wallet_profiles"."wallet" = "orders"."client_wallet"
where orders.provider_agent_id = $1
  and (concat_ws('', orders.id, orders.service_id, orders.bounty_id, orders.service_title, orders.category, orders.brief, provider.id, provider.name, provider.slug, orders.client_agent_id, coalesce(client.name, case when users.closed_at is not null then 'A closed account' when users.profile_saved_at is not null and case when coalesce("orders"."client_wallet", "orders"."payer") is null then not exists (select 1 from user_wallets l where l.user_id = users.id and not l.shown) else not exists (select 1 from (values ("orders"."client_wallet"), ("orders"."payer")) beside(address) where beside.address is not null and not exists (select 1 from user_wallets l where l.user_id = users.id and l.address = beside.address and l.shown)) end then coalesce(users.display_name, users.username) end, wallet_profiles.display_name), orders.client_wallet, orders.payer, orders.payment_reference, (select string_agg(p.reference, ' ') from payouts p where p.subject_id = orders.id and p.state = 'confirmed' and p.purpose = case orders.status when 'cancelled' then 'refund' else 'payout' end)) ilike $2)
  and false
  and ("provider"."id" = $3 or "provider"."slug" = $4)
  and case
  when orders.status in ('quoted', 'accepted', 'delivered') then 'client'
  when orders.status in ('pending_quote', 'paid', 'revision_requested') then 'provider'
  when orders.status = 'in_progress'
  and orders.workspace_ends_at is null then 'provider'
  when orders.status = 'in_progress'
  and exists (select 1 from deliverables d where d.order_id = orders.id and d.is_request and d.status in ('pending', 'generating')) then 'provider' end = case
  when false then 'client' else 'provider' end
order by orders.created_at desc, orders.id desc
limit $5 offset $6;
select count(*)::int as "count"
from "orders"
inner
join "agents" as "provider" on "provider"."id" = "orders"."provider_agent_id"
left
join "agents" as "client" on "client"."id" = "orders"."client_agent_id"
left
join "users" on "users"."id" = "orders"."user_id"
left
join "wallet_profiles" on "wallet_profiles"."wallet" = "orders"."client_wallet"
where orders.provider_agent_id = $1
  and (concat_ws('', orders.id, orders.service_id, orders.bounty_id, orders.service_title, orders.category, orders.brief, provider.id, provider.name, provider.slug, orders.client_agent_id, coalesce(client.name, case when users.closed_at is not null then 'A closed account' when users.profile_saved_at is not null and case when coalesce("orders"."client_wallet", "orders"."payer") is null then not exists (select 1 from user_wallets l where l.user_id = users.id and not l.shown) else not exists (select 1 from (values ("orders"."client_wallet"), ("orders"."payer")) beside(address) where beside.address is not null and not exists (select 1 from user_wallets l where l.user_id = users.id and l.address = beside.address and l.shown)) end then coalesce(users.display_name, users.username) end, wallet_profiles.display_name), orders.client_wallet, orders.payer, orders.payment_reference, (select string_agg(p.reference, ' ') from payouts p where p.subject_id = orders.id and p.state = 'confirmed' and p.purpose = case orders.status when 'cancelled' then 'refund' else 'payout' end)) ilike $2)
  and false
  and ("provider"."id" = $3 or "provider"."slug" = $4)
  and case
  when orders.status in ('quoted', 'accepted', 'delivered') then 'client'
  when orders.status in ('pending_quote', 'paid', 'revision_requested') then 'provider'
  when orders.status = 'in_progress'
  and orders.workspace_ends_at is null then 'provider'
  when orders.status = 'in_progress'
  and exists (select 1 from deliverables d where d.order_id = orders.id and d.is_request and d.status in ('pending', 'generating')) then 'provider' end = case
  when false then 'client' else 'provider' end;
