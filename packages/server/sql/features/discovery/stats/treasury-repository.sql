-- Generated from packages/server/src/features/discovery/stats/treasury-repository.ts by `npm run generate`. Do not edit.

-- listReadings
select *
from "treasury_readings"
order by "network";

-- readObligations
select network
  , coalesce(sum(balance_micros) filter (where kind in ($1)), 0)::bigint as escrow_micros
  , coalesce(sum(balance_micros) filter (where kind in ($2)), 0)::bigint as agents_micros
  , coalesce(sum(balance_micros) filter (where kind in ($3)), 0)::bigint as refunds_micros
  , coalesce(sum(balance_micros) filter (where kind in ($4)), 0)::bigint as surplus_micros
  , coalesce(sum(balance_micros) filter (where kind in ($5)), 0)::bigint as unmatched_micros
  , coalesce(sum(balance_micros) filter (where kind in ($6)), 0)::bigint as in_flight_micros
  , coalesce(sum(balance_micros) filter (where kind in ($7, $8)), 0)::bigint as earn_micros
  , coalesce(sum(balance_micros) filter (where kind in ($9, $10)), 0)::bigint as own_micros
from ledger_accounts
group by network;

-- storeReadings
insert into "treasury_readings" ("read_at")
values (market_now())
on conflict ("network") do update
set "held_micros" = "excluded"."held_micros"
  , "read_at" = "excluded"."read_at"
  , "escrow_micros" = "excluded"."escrow_micros"
  , "agents_micros" = "excluded"."agents_micros"
  , "refunds_micros" = "excluded"."refunds_micros"
  , "surplus_micros" = "excluded"."surplus_micros"
  , "unmatched_micros" = "excluded"."unmatched_micros"
  , "in_flight_micros" = "excluded"."in_flight_micros"
  , "earn_micros" = "excluded"."earn_micros"
  , "own_micros" = "excluded"."own_micros";
