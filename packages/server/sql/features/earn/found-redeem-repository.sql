-- Generated from packages/server/src/features/earn/found-redeem-repository.ts by `npm run generate`. Do not edit.

-- explainRedeem
update "found_outflows"
set "amount" = $1, "taken_by" = $2
where "holder" = $3 and "reference" = $4 and "taken_by" is null;

-- findKnownRedeems
select a.reference
from outgoing_attempts a
join earn_intents i on i.id = a.intent_id
where a.reference = any($1::text[])
union select reference
from found_outflows
where holder = $2 and reference = any($3::text[]);

-- insertFoundRedeem
insert into "found_outflows" ("holder", "network", "reference", "position", "intent_key", "asset", "destination", "amount", "taken_by")
values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
on conflict ("holder", "reference", "position") do nothing;

-- listFoundRedeems
select "reference", "intent_key", "amount", "found_at"
from "found_outflows"
where "holder" = $1 and "taken_by" is null
order by "found_at", "reference";

-- not shown: vaultHolderName
