-- Generated from packages/server/src/features/custody/repository.ts by `npm run generate`. Do not edit.

-- findMovement
select *
from "wallet_movements"
where "id" = $1;

-- insertMovement
insert into "wallet_movements" ("reason", "reference", "fronted_native")
values ($1, $2, $3);

-- insertMovementAttempt
insert into "wallet_attempts" ("movement_id", "number", "reference", "signed_bytes", "validity", "rent_lamports")
values ($1, $2, $3, $4, $5, $6);

-- latestMovementAttempt
select *
from "wallet_attempts"
where "movement_id" = $1
order by "number" desc
limit $2;

-- listOpenMovements
select "id"
from "wallet_movements"
where "state" in ($1, $2, $3, $4)
order by "updated_at"
limit $5;

-- lockWallets
select "address"
from "agent_wallets"
where "agent_id" = $1
order by "kind" for update;

-- moveMovement
update "wallet_movements"
set "updated_at" = market_now()
where "id" = $1 and "state" in ($2);

-- moveMovementAttempt
update "wallet_attempts"
set "state" = $1
where "movement_id" = $2 and "number" = $3 and "state" in ($4, $5, $6);

-- readAccountCosts
select coalesce(sum(lamports), 0)::bigint as "dayLamports"
  , (count(*) filter (where network = $1 and destination = $2))::int as "dayAccounts"
from ( select a.rent_lamports as lamports, m.network, m.destination from wallet_attempts a join wallet_movements m on m.id = a.movement_id where a.created_at > market_now() - interval '1 day' and a.state <> 'expired' and a.rent_lamports > 0 union all select t.rent_lamports, p.network, p.destination from payout_attempts t join payouts p on p.id = t.payout_id where t.created_at > market_now() - interval '1 day' and t.state <> 'expired' and t.rent_lamports > 0) opened;

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

-- reopenLastAttempt
update "wallet_attempts"
set "state" = $1
where "movement_id" = $2
  and "number" = (select max(number) as "number" from "wallet_attempts" where "movement_id" = $3);
