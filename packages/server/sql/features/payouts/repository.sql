-- Generated from packages/server/src/features/payouts/repository.ts by `npm run generate`. Do not edit.

-- findPayout
select *
from "payouts"
where "id" = $1;

-- findPayoutFor
select *
from "payouts"
where "purpose" = $1 and "subject_id" = $2 and "state" != $3;

-- insertFirstPayout
insert into outgoing_intents (id, purpose, subject_id, network, destination, amount)
values ($1, $2, $3, $4, $5, $6);

-- insertPayout
insert into "outgoing_intents" ("amount")
values ($1)
on conflict ("purpose", "subject_id")
where state <> 'void'
  and purpose in ('payout', 'refund', 'surplus', 'withdrawal', 'earn_refund', 'earn_withdrawal') do nothing
returning "id"
  , "purpose"
  , "subject_id"
  , "network"
  , "destination"
  , "amount" as "amount_micros"
  , "state"
  , "reason"
  , "reference"
  , "created_at"
  , "updated_at"
  , "parked_for";

-- listPayouts
select *
from "payouts"
where (concat_ws('', id, subject_id, network, destination, reason, reference) ilike $1) and "state" in ($2)
order by created_at desc, id desc
limit $3 offset $4;
select count(*)::int as "count"
from "payouts"
where (concat_ws('', id, subject_id, network, destination, reason, reference) ilike $1) and "state" in ($2);

-- listPayoutsOf
select *
  , (select a.reference from outgoing_attempts a where a.intent_id = payouts.id and a.state in ('sent', 'unknown', 'confirmed') order by a.number desc limit 1) as "sent_reference"
from "payouts"
where "subject_id" = any($1) and "state" != $2
order by "created_at";

-- selectPayoutsOf
select *
  , (select a.reference from outgoing_attempts a where a.intent_id = payouts.id and a.state in ('sent', 'unknown', 'confirmed') order by a.number desc limit 1) as "sent_reference"
from "payouts"
where "subject_id" = any($1) and "state" != $2
order by "created_at";

-- writeDestination
update "payouts"
set "destination" = $1
where "id" = $2;
