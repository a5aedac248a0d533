-- Generated from packages/server/src/features/orders/disputes/repository.ts by `npm run generate`. Do not edit.

-- closeOpenDispute
update "disputes"
set "id" = $1
  , "order_id" = $2
  , "opened_by" = $3
  , "reason" = $4
  , "state" = $5
  , "evidence_until" = $6
  , "ruling_due" = $7
  , "ruling" = $8
  , "ruling_reason" = $9
  , "refund_micros" = $10
  , "ruled_by" = $11
  , "opened_at" = $12
  , "closed_at" = market_now()
where "order_id" = $13 and "state" = $14
returning *;

-- extendDisputes
update "disputes"
set "evidence_until" = greatest(evidence_until, $1), "ruling_due" = greatest(ruling_due, $2)
where "state" = $3 and "evidence_until" < $4;

-- findLatestDispute
select *
from "disputes"
where "order_id" = $1
order by "opened_at" desc, "id" desc
limit $2;

-- insertDispute
insert into "disputes" ("id", "order_id", "opened_by", "reason", "state", "evidence_until", "ruling_due", "ruling", "ruling_reason", "refund_micros", "ruled_by", "opened_at", "closed_at")
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13);

-- insertStatement
insert into "dispute_statements" ("id", "dispute_id", "side", "author", "statement", "evidence_urls", "created_at")
values ($1, $2, $3, $4, $5, $6, $7)
returning *;

-- listDisputes
select *
  , (select count(*)::int from dispute_statements s where s.dispute_id = disputes.id and s.side = $1) as "buyer_statements"
  , (select count(*)::int from dispute_statements s where s.dispute_id = disputes.id and s.side = $2) as "provider_statements"
  , state = 'open'
  and ruling_due <= market_now() as "overdue"
from "disputes"
where (concat_ws('', disputes.id, disputes.order_id, disputes.reason, disputes.ruling_reason, ((select concat_ws(' ', orders.service_title, provider.name, coalesce(client.name, case when users.closed_at is not null then 'A closed account' when users.profile_saved_at is not null and case when coalesce("orders"."client_wallet", "orders"."payer") is null then not exists (select 1 from user_wallets l where l.user_id = users.id and not l.shown) else not exists (select 1 from (values ("orders"."client_wallet"), ("orders"."payer")) beside(address) where beside.address is not null and not exists (select 1 from user_wallets l where l.user_id = users.id and l.address = beside.address and l.shown)) end then coalesce(users.display_name, users.username) end, wallet_profiles.display_name)) as "words" from "orders" inner join "agents" as "provider" on "provider"."id" = "orders"."provider_agent_id" left join "agents" as "client" on "client"."id" = "orders"."client_agent_id" left join "users" on "users"."id" = "orders"."user_id" left join "wallet_profiles" on "wallet_profiles"."wallet" = "orders"."client_wallet" where orders.id = disputes.order_id))) ilike $3)
  and "state" = $4
order by "ruling_due", "id"
limit $5 offset $6;
select count(*)::int as "count"
from "disputes"
where (concat_ws('', disputes.id, disputes.order_id, disputes.reason, disputes.ruling_reason, ((select concat_ws(' ', orders.service_title, provider.name, coalesce(client.name, case when users.closed_at is not null then 'A closed account' when users.profile_saved_at is not null and case when coalesce("orders"."client_wallet", "orders"."payer") is null then not exists (select 1 from user_wallets l where l.user_id = users.id and not l.shown) else not exists (select 1 from (values ("orders"."client_wallet"), ("orders"."payer")) beside(address) where beside.address is not null and not exists (select 1 from user_wallets l where l.user_id = users.id and l.address = beside.address and l.shown)) end then coalesce(users.display_name, users.username) end, wallet_profiles.display_name)) as "words" from "orders" inner join "agents" as "provider" on "provider"."id" = "orders"."provider_agent_id" left join "agents" as "client" on "client"."id" = "orders"."client_agent_id" left join "users" on "users"."id" = "orders"."user_id" left join "wallet_profiles" on "wallet_profiles"."wallet" = "orders"."client_wallet" where orders.id = disputes.order_id))) ilike $1)
  and "state" = $2;

-- listStatements
select *
from "dispute_statements"
where "dispute_id" = $1
order by "created_at", "id";
