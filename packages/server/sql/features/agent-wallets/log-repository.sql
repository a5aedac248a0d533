-- Generated from packages/server/src/features/agent-wallets/log-repository.ts by `npm run generate`. Do not edit.

-- insertLogEntry
insert into "wallet_log" ("network", "address", "effective_at", "movement_id")
values ($1, $2, $3, $4);

-- listLog
select "l"."id"
  , "l"."at"
  , "l"."action"
  , "l"."ordered_by"
  , "l"."network"
  , "l"."address"
  , "l"."effective_at"
  , "l"."movement_id"
  , "m"."state"
  , "m"."asset"
  , "m"."amount"
  , "m"."reason"
  , "m"."fronted_native"
  , coalesce(m.reference, (select a.reference from outgoing_attempts a where a.intent_id = m.id and a.state in ('signed', 'sent', 'unknown') order by a.number desc limit 1)) as "reference"
from "wallet_log" as "l"
left
join "wallet_movements" as "m" on "m"."id" = "l"."movement_id"
where "l"."agent_id" = $1
  and (concat_ws('', l.action, l.ordered_by, l.address, l.movement_id, m.reason, coalesce(m.reference, (select a.reference from outgoing_attempts a where a.intent_id = m.id and a.state in ('signed', 'sent', 'unknown') order by a.number desc limit 1))) ilike $2)
order by "l"."id" desc
limit $3 offset $4;
select count(*)::int as "count"
from "wallet_log" as "l"
left
join "wallet_movements" as "m" on "m"."id" = "l"."movement_id"
where "l"."agent_id" = $1
  and (concat_ws('', l.action, l.ordered_by, l.address, l.movement_id, m.reason, coalesce(m.reference, (select a.reference from outgoing_attempts a where a.intent_id = m.id and a.state in ('signed', 'sent', 'unknown') order by a.number desc limit 1))) ilike $2);

-- listWithdrawAddresses
select *
from "withdraw_addresses"
where "agent_id" = $1;

-- writeWithdrawAddress
insert into "withdraw_addresses" ()
values ()
on conflict ("agent_id", "kind") do update
set "address" = $1, "updated_at" = market_now();
