-- Generated from packages/server/src/features/outgoing/intent-repository.ts by `npm run generate`. Do not edit.

-- findIntentState
select "state"
from "outgoing_intents"
where "id" = $1;

-- listOpenIntents
select "id"
from "outgoing_intents"
where "state" in ($1, $2, $3, $4) and "purpose" in ($5)
order by "updated_at"
limit $6;

-- moveIntent
update "outgoing_intents"
set "parked_for" = $1, "updated_at" = market_now()
where "id" = $2 and "state" in ($3);
