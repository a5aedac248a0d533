-- Generated from packages/server/src/features/outgoing/attempt-repository.ts by `npm run generate`. Do not edit.

-- confirmAttempt
update outgoing_attempts a
set state = 'confirmed'
where a.intent_id = $1
  and a.number = $2
  and a.state in ('signed', 'sent', 'unknown', 'expired')
  and not exists (select 1 from outgoing_attempts o where o.intent_id = a.intent_id and o.number <> a.number and o.state = 'confirmed')
returning a.number;

-- findLatestAttempt
select *
from "outgoing_attempts"
where "intent_id" = $1
order by "number" desc
limit $2;

-- findProof
select *
from "outgoing_attempts"
where "intent_id" = $1 and "number" < $2 and "state" = $3;

-- hasOpenAttempt
select "number"
from "outgoing_attempts"
where "intent_id" = $1 and "state" in ($2, $3, $4);

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

-- keepProof
select "id"
from "outgoing_intents"
where "id" = $1 for update;
update outgoing_attempts a
set state = 'confirmed'
where a.intent_id = $1
  and a.number = $2
  and a.state = 'expired'
  and exists (select 1 from outgoing_attempts o where o.intent_id = a.intent_id and o.state in ('signed', 'sent', 'unknown'))
  and not exists (select 1 from outgoing_attempts o where o.intent_id = a.intent_id and o.state = 'confirmed')
returning a.number;

-- moveAttempt
update "outgoing_attempts"
set "state" = $1
where "intent_id" = $2 and "number" = $3 and "state" in ($4, $5, $6);

-- reopenLastAttempt
update "outgoing_attempts"
set "state" = $1
where "intent_id" = $2 and "number" = (select max(number) as "number" from "outgoing_attempts" where "intent_id" = $3);
