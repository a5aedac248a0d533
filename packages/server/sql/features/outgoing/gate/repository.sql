-- Generated from packages/server/src/features/outgoing/gate/repository.ts by `npm run generate`. Do not edit.

-- closeOutflow
update "outflow_gate"
set "reason" = $1, "changed_at" = market_now()
where "reason" is null;

-- findFound
select *
from "found_outflows"
where "holder" = $1 and "intent_key" = $2 and "taken_by" is null;

-- findHolderCursor
select "cursor"
  , place in (database_place(), database_place() || ' ' || xmin::text) as "is_here"
  , extract(epoch from clock_timestamp() - checked_at)::float8 as "age"
from "outflow_cursors"
where "holder" = $1;

-- insertFound
insert into "found_outflows" ("amount", "taken_by")
values ($1, $2)
on conflict ("holder", "reference", "position") do nothing;

-- listPutBack
select "holder"
from "outflow_cursors"
where not (place in (database_place(), database_place() || ' ' || xmin::text));

-- markPutBack
update "outflow_cursors"
set "place" = $1;

-- openOutflow
update "outflow_gate"
set "reason" = $1, "changed_at" = market_now()
where "reason" is not null;

-- readOutflowClosed
select "reason"
from "outflow_gate";

-- takeFound
update "found_outflows"
set "taken_by" = $1
where "holder" = $2 and "reference" = $3 and "position" = $4 and "taken_by" is null;

-- takeFoundIn
update "found_outflows"
set "taken_by" = $1
where "holder" = $2 and "reference" = $3 and "taken_by" is null;

-- writeHolderCursor
insert into "outflow_cursors" ("holder", "cursor", "place", "checked_at")
values ($1, $2, $3 || ' ' || pg_current_xact_id()::xid::text, clock_timestamp())
on conflict ("holder") do update
set "cursor" = $4, "place" = $5 || ' ' || pg_current_xact_id()::xid::text, "checked_at" = clock_timestamp();
