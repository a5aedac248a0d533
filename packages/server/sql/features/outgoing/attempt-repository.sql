-- Generated from packages/server/src/features/outgoing/attempt-repository.ts by `npm run generate`. Do not edit.

-- findLatestAttempt
select *
from "outgoing_attempts"
where "intent_id" = $1
order by "number" desc
limit $2;

-- insertAttempt
insert into "outgoing_attempts" ("reference", "signed_bytes", "validity", "rent_lamports")
values ($1, $2, $3, $4);

-- insertFoundAttempt
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

-- insertNextAttempt
select *
from "outgoing_attempts"
where "intent_id" = $1
order by "number" desc
limit $2;
insert into "outgoing_attempts" ("intent_id", "number", "reference", "signed_bytes", "validity", "rent_lamports")
values ($1, $2, $3, $4, $5, $6);

-- moveAttempt
update "outgoing_attempts"
set "state" = $1
where "intent_id" = $2 and "number" = $3 and "state" in ($4, $5, $6);

-- reopenLastAttempt
update "outgoing_attempts"
set "state" = $1
where "intent_id" = $2 and "number" = (select max(number) as "number" from "outgoing_attempts" where "intent_id" = $3);
