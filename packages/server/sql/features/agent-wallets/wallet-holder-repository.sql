-- Generated from packages/server/src/features/agent-wallets/wallet-holder-repository.ts by `npm run generate`. Do not edit.

-- hasExportedKey
select "id"
from "wallet_log"
where "agent_id" = $1 and "action" = $2 and "network" <> $3
limit $4;

-- hasUnexplained
select 1
from found_outflows
where split_part(holder, '/', 2) = $1 and taken_by is null
limit 1;

-- hasUnnamedSince
select "reference"
from "found_outflows"
where "holder" = $1 and "asset" = $2 and "intent_key" is null and "found_at" > $3
limit $4;

-- listBegunMovements
select "m"."id", "m"."state", "m"."destination"
from "wallet_movements" as "m"
where "m"."agent_id" = $1
  and "m"."network" = $2
  and "m"."wallet" = $3
  and "m"."state" in ($4, $5, $6, $7)
  and exists (select "a"."number" from "outgoing_attempts" as "a" where "a"."intent_id" = "m"."id");

-- listKnownSends
select a.reference, a.intent_id as "intentId", null as "intentKey"
from outgoing_attempts a
join wallet_movements m on m.id = a.intent_id
where a.reference = any($1::text[])
union select reference, id, null
from wallet_movements
where reference = any($2::text[])
union select reference, null, intent_key
from found_outflows
where holder = $3 and reference = any($4::text[]);

-- listSignedUnder
select a.signed_bytes as bytes, a.validity::bigint as nonce
from outgoing_attempts a
join wallet_movements m on m.id = a.intent_id
where m.agent_id = $1
  and m.network = $2
  and m.wallet = $3
  and m.asset = 'usdc'
  and a.validity::bigint >= $4
  and a.validity::bigint < $5;

-- readSentCount
select coalesce(max(a.validity::bigint) + 1, 0)::bigint as count
from outgoing_attempts a
join wallet_movements m on m.id = a.intent_id
where m.agent_id = $1 and m.network = $2 and m.wallet = $3 and m.asset = 'native';
