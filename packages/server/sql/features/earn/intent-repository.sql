-- Generated from packages/server/src/features/earn/intent-repository.ts by `npm run generate`. Do not edit.

-- countIntentsOf
select count(*)::int as "count"
from "earn_intents"
where "subject_id" = $1;

-- countIntentsOfEach
select "subject_id", count(*)::int as "count"
from "earn_intents"
where "subject_id" in ($1)
group by "subject_id";

-- dropUnsignedIntent
delete from earn_intents i
where id = $1 and state = 'queued' and not exists (select 1 from earn_attempts a where a.intent_id = i.id)
returning id;

-- findDeployed
select *
from "earn_intents"
where "subject_id" = $1 and "kind" = $2 and "state" = $3;

-- findIntent
select *
from "earn_intents"
where "id" = $1;

-- findOpenIntent
select *
from "earn_intents"
where "state" in ($1, $2, $3, $4) and "subject_id" = $5
limit $6;

-- findUnbookedDeploy
select "intent_key", "reference", "amount_micros"
from "unbooked_outflows"
where "intent_key" in ($1) and "payout_id" is null and "intent_id" is null
limit $2;

-- insertFoundIntent
insert into earn_intents (id, kind, vault_key, subject_id, network, router, venue, units, state, reference, result_assets, result_units)
values ($1, $2, $3, $4, $5, $6, $7, $8, 'confirmed', $9, $10, $11)
on conflict (id) do update
set state = 'confirmed'
  , reference = excluded.reference
  , reason = null
  , units = excluded.units
  , min_out = null
  , result_assets = excluded.result_assets
  , result_units = excluded.result_units
  , updated_at = market_now();
select *
from "earn_attempts"
where "intent_id" = $1
order by "number" desc
limit $2;
insert into "earn_attempts" ("intent_id", "number", "reference", "signed_bytes", "validity", "state")
values ($1, $2, $3, $4, $5, $6);

-- insertIntent
insert into "earn_intents" ("min_out", "reason", "reference", "result_assets", "result_units", "assets", "units", "queue_number")
values ($1, $2, $3, $4, $5, $6, $7, $8)
on conflict do nothing;

-- insertIntentAttempt
insert into "earn_attempts" ("intent_id", "number", "reference", "signed_bytes", "validity")
values ($1, $2, $3, $4, $5);

-- insertIntents
insert into "earn_intents" ("min_out", "reason", "reference", "result_assets", "result_units", "assets", "units", "queue_number")
values ($1, $2, $3, $4, $5, $6, $7, $8)
on conflict do nothing;

-- isUnbooked
select "intent_key"
from "unbooked_outflows"
where "intent_key" = $1 and "payout_id" is null and "intent_id" is null
limit $2;

-- latestIntentAttempt
select *
from "earn_attempts"
where "intent_id" = $1
order by "number" desc
limit $2;

-- listOpenIntents
select "id"
from "earn_intents"
where "state" in ($1, $2, $3, $4)
order by "updated_at"
limit $5;

-- listOpenRedeems
select "id"
from "earn_intents"
where "vault_key" = $1 and "kind" = $2 and "state" in ($3, $4, $5);

-- listRedeeming
select "id", "units"
from "earn_intents"
where "vault_key" = $1 and "kind" = $2 and "state" in ($3, $4, $5, $6);

-- moveIntent
update "earn_intents"
set "updated_at" = market_now()
where "id" = $1 and "state" in ($2);

-- moveIntentAttempt
update "earn_attempts"
set "state" = $1
where "intent_id" = $2 and "number" = $3 and "state" in ($4, $5, $6);

-- readMostParts
select coalesce(max(parts), 0) as most
from ( select count(*)::int as parts from earn_intents where vault_key = $1 and kind = 'redeem' group by subject_id) counted;

-- readReserved
select "balance_micros"
from "ledger_accounts"
where "kind" = $1 and "owner" = $2 and "network" = $3;

-- takeUnbooked
update "unbooked_outflows"
set "intent_id" = $1
where "intent_key" = $2 and "payout_id" is null and "intent_id" is null;
