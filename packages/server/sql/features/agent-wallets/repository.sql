-- Generated from packages/server/src/features/agent-wallets/repository.ts by `npm run generate`. Do not edit.

-- findMovement
select *
from "wallet_movements"
where "id" = $1;

-- insertMovement
with "intent" as (insert into "outgoing_intents" ("payer") values ($1)) insert into "agent_movements" ("agent_id", "not_sent_before")
values ($2, $3);

-- lockWallets
select "address"
from "agent_wallets"
where "agent_id" = $1
order by "kind" for update;

-- moveMovement
update "outgoing_intents"
set "parked_for" = $1, "updated_at" = market_now()
where "id" = $2 and "state" in ($3);
update "agent_movements"
set "fronted_native" = $1
where "id" = $2;

-- readAccountCosts
select coalesce(sum(lamports), 0)::bigint as "dayLamports"
  , (count(*) filter (where network = $1 and destination = $2))::int as "dayAccounts"
from ( select a.rent_lamports as lamports, coalesce(m.network, p.network) as network, coalesce(m.destination, p.destination) as destination from outgoing_attempts a left join wallet_movements m on m.id = a.intent_id left join payouts p on p.id = a.intent_id where a.created_at > market_now() - interval '1 day' and a.state <> 'expired' and a.rent_lamports > 0) opened;

-- readBalanceMark
select coalesce(array_agg(id) filter (where state in ('queued', 'signed', 'sent', 'unknown')), '{}') as open
  , coalesce((select max(l.id) from wallet_log l where l.agent_id = $1), 0)::bigint as "lastLog"
from wallet_movements
where agent_id = $2;

-- readWalletUse
select coalesce(sum(amount) filter (where network = $1 and asset = $2 and (state in ('queued', 'signed', 'sent', 'unknown') or id = any($3::text[]) or exists (select 1 from wallet_log l where l.movement_id = wallet_movements.id and l.id > $4))), 0)::bigint as reserved
  , coalesce(sum(amount) filter (where asset = 'usdc' and created_at > market_now() - interval '1 day'), 0)::bigint as "dayMicros"
  , coalesce(sum(amount) filter (where asset = 'native' and network = $5 and created_at > market_now() - interval '1 day'), 0)::bigint as "dayNative"
from wallet_movements
where agent_id = $6 and state <> 'failed';
