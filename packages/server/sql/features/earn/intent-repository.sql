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
with gone as ( delete from outgoing_intents i where id = $1 and state = 'queued' and not exists (select 1 from outgoing_attempts a where a.intent_id = i.id) returning id) delete from venue_calls c using gone
where c.id = gone.id
returning c.id;

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
where "intent_key" in ($1) and "intent_id" is null
limit $2;

-- insertFoundIntent
insert into "outgoing_intents" ("id", "purpose", "subject_id", "network", "destination", "state", "reference")
values ($1, $2, $3, $4, $5, $6, $7)
on conflict ("id") do update
set "state" = $8, "reference" = $9, "reason" = $10, "updated_at" = market_now();
insert into "venue_calls" ("id", "kind", "vault_key", "venue", "units", "result_assets", "result_units")
values ($1, $2, $3, $4, $5, $6, $7)
on conflict ("id") do update
set "units" = $8, "result_assets" = $9, "result_units" = $10, "min_out" = $11;
select *
from "outgoing_attempts"
where "intent_id" = $1
order by "number" desc
limit $2;
insert into "outgoing_attempts" ("intent_id", "number", "reference", "signed_bytes", "validity", "rent_lamports")
values ($1, $2, $3, $4, $5, $6);
update "outgoing_attempts"
set "state" = $1
where "intent_id" = $2 and "number" = $3 and "state" in ($4, $5, $6);

-- insertIntent
with "ordered" as (insert into "outgoing_intents" ("id", "purpose", "subject_id", "network", "destination", "amount") values ($1, $2, $3, $4, $5, $6) on conflict do nothing returning "id") insert into "venue_calls" select c.*
from jsonb_populate_recordset(null::venue_calls, $7::jsonb) c
join ordered using (id);

-- insertIntents
with "ordered" as (insert into "outgoing_intents" ("id", "purpose", "subject_id", "network", "destination", "amount") values ($1, $2, $3, $4, $5, $6) on conflict do nothing returning "id") insert into "venue_calls" select c.*
from jsonb_populate_recordset(null::venue_calls, $7::jsonb) c
join ordered using (id);

-- isUnbooked
select "intent_key"
from "unbooked_outflows"
where "intent_key" = $1 and "intent_id" is null
limit $2;

-- listOpenRedeems
select "id"
from "earn_intents"
where "vault_key" = $1 and "kind" = $2 and "state" in ($3, $4, $5);

-- listRedeeming
select "id", "units"
from "earn_intents"
where "vault_key" = $1 and "kind" = $2 and "state" in ($3, $4, $5, $6);

-- moveIntent
update "outgoing_intents"
set "parked_for" = $1, "updated_at" = market_now()
where "id" = $2 and "state" in ($3);
update "venue_calls"
set "min_out" = $1, "result_assets" = $2, "result_units" = $3
where "id" = $4;

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
where "intent_key" = $2 and "intent_id" is null;
