-- Generated from packages/server/src/features/orders/repository.ts by `npm run generate`. Do not edit.

-- clientNames
coalesce(client.name, case when users.closed_at is not null then 'A closed account' when users.profile_saved_at is not null and case when coalesce("orders"."client_wallet", "orders"."payer") is null then not exists (select 1 from user_wallets l where l.user_id = users.id and not l.shown) else not exists (select 1 from (values ("orders"."client_wallet"), ("orders"."payer")) beside(address) where beside.address is not null and not exists (select 1 from user_wallets l where l.user_id = users.id and l.address = beside.address and l.shown)) end then coalesce(users.display_name, users.username) end, wallet_profiles.display_name);

-- findFrozenSince
select created_at
from events
where subject_id = $1 and type = 'payment.reverted'
order by id desc
limit 1;

-- findOrder
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
from "orders"
inner
join "agents" as "provider" on "provider"."id" = "orders"."provider_agent_id"
left
join "agents" as "client" on "client"."id" = "orders"."client_agent_id"
left
join "users" on "users"."id" = "orders"."user_id"
left
join "wallet_profiles" on "wallet_profiles"."wallet" = "orders"."client_wallet"
where "orders"."id" = $1;

-- findOrders
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
from "orders"
inner
join "agents" as "provider" on "provider"."id" = "orders"."provider_agent_id"
left
join "agents" as "client" on "client"."id" = "orders"."client_agent_id"
left
join "users" on "users"."id" = "orders"."user_id"
left
join "wallet_profiles" on "wallet_profiles"."wallet" = "orders"."client_wallet"
where "orders"."id" in ($1);

-- findPaidAgent
select "id"
  , "owner_wallet"
  , "owner_user_id"
  , "payout_wallet"
  , "payout_address_base"
  , "payout_chain"
  , "payout_held_since"
from "agents"
where "id" = $1;

-- findReview
select *
from "reviews"
where "order_id" = $1;

-- insertDeliverables
insert into "deliverables" ("id", "order_id", "round", "position", "prompt", "url", "media_type", "content", "upload_id", "status", "error", "is_request", "answer_by", "created_at", "answered_at")
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15);

-- insertSettlement
insert into settlements (order_id, outcome, agent_micros, fee_micros, refund_micros)
values ($1, $2, $3, $4, $5);

-- isDelivered
select "id"
from "deliverables"
where "order_id" = $1 and "upload_id" = $2;

-- listDeliverables
select *
from "deliverables"
where "order_id" = any($1)
order by "round" desc, "position", "id";

-- listHeldOrders
select "id", "payment_network" as "network", "payment_reference" as "reference"
from "orders"
where "status" in ($1, $2, $3, $4, $5)
  and "paid_micros" > $6
  and "payment_reference" is not null
  and not exists (select "order_id" from "settlements" where "settlements"."order_id" = "orders"."id");

-- listOverdue
(select id, 'auto_release' as command from orders where status = 'delivered' and review_deadline <= market_now() order by review_deadline limit $1)
union all (select id, 'expire' from orders where status in ('paid', 'in_progress') and delivery_deadline <= market_now() and not exists (select 1 from settlements s where s.order_id = orders.id) order by delivery_deadline limit $2)
union all (select id, 'mark_overdue' from orders where status in ('paid', 'in_progress') and delivery_deadline <= market_now() and overdue_since is null and exists (select 1 from settlements s where s.order_id = orders.id) order by delivery_deadline limit $3)
union all (select id, 'escalate' from orders where status = 'revision_requested' and revision_deadline <= market_now() limit $4)
union all (select id, 'finish_workspace' from orders where status = 'in_progress' and workspace_ends_at <= market_now() limit $5)
union all (select id, 'pay_at_hire' from orders where settlement = 'instant' and status in ('paid', 'in_progress', 'delivered', 'revision_requested') and paid_at <= market_now() - interval '2 minutes' and not exists (select 1 from settlements s where s.order_id = orders.id) and not exists (select 1 from payment_claims c where c.subject_id = orders.id and c.contestable_until > market_now()) limit $6);

-- listSteps
select *
from "order_steps"
where "order_id" = $1
order by "number";

-- lockOrder
select id
from orders
where id = $1 for update;
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
from "orders"
inner
join "agents" as "provider" on "provider"."id" = "orders"."provider_agent_id"
left
join "agents" as "client" on "client"."id" = "orders"."client_agent_id"
left
join "users" on "users"."id" = "orders"."user_id"
left
join "wallet_profiles" on "wallet_profiles"."wallet" = "orders"."client_wallet"
where "orders"."id" = $1;

-- lockOrderWithPayee
select id
from orders
where id = $1 for update;
select "agents"."id"
  , "agents"."owner_wallet"
  , "agents"."payout_wallet"
  , "agents"."payout_address_base"
  , "agents"."payout_chain"
  , ( select coalesce(jsonb_agg(jsonb_build_object('agentId', agent_id, 'kind', kind, 'address', address, 'sealedKey', sealed_key)), '[]') from agent_wallets where agent_id = agents.id) as "wallets"
from "orders"
inner
join "agents" on "agents"."id" = "orders"."provider_agent_id"
where "orders"."id" = $1;
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
from "orders"
inner
join "agents" as "provider" on "provider"."id" = "orders"."provider_agent_id"
left
join "agents" as "client" on "client"."id" = "orders"."client_agent_id"
left
join "users" on "users"."id" = "orders"."user_id"
left
join "wallet_profiles" on "wallet_profiles"."wallet" = "orders"."client_wallet"
where "orders"."id" = $1;

-- orderWords
select concat_ws(' ', orders.service_title, provider.name, coalesce(client.name, case when users.closed_at is not null then 'A closed account' when users.profile_saved_at is not null and case when coalesce("orders"."client_wallet", "orders"."payer") is null then not exists (select 1 from user_wallets l where l.user_id = users.id and not l.shown) else not exists (select 1 from (values ("orders"."client_wallet"), ("orders"."payer")) beside(address) where beside.address is not null and not exists (select 1 from user_wallets l where l.user_id = users.id and l.address = beside.address and l.shown)) end then coalesce(users.display_name, users.username) end, wallet_profiles.display_name)) as "words"
from "orders"
inner
join "agents" as "provider" on "provider"."id" = "orders"."provider_agent_id"
left
join "agents" as "client" on "client"."id" = "orders"."client_agent_id"
left
join "users" on "users"."id" = "orders"."user_id"
left
join "wallet_profiles" on "wallet_profiles"."wallet" = "orders"."client_wallet"
where orders.id = $1;

-- selectDeliverables
select *
from "deliverables"
where "order_id" = any($1)
order by "round" desc, "position", "id";

-- selectOrders
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
from "orders"
inner
join "agents" as "provider" on "provider"."id" = "orders"."provider_agent_id"
left
join "agents" as "client" on "client"."id" = "orders"."client_agent_id"
left
join "users" on "users"."id" = "orders"."user_id"
left
join "wallet_profiles" on "wallet_profiles"."wallet" = "orders"."client_wallet";

-- supersedeDeliverables
update "deliverables"
set "status" = $1
where "order_id" = $2 and "prompt" = $3 and "status" = $4;

-- unreadMessages
select count(*)::int as count
from order_messages m
where m.order_id = $1
  and m.sender_type <> $2
  and m.number > coalesce((select last_number from message_reads r where r.order_id = m.order_id and r.side = $3), 0);
