-- Generated from packages/server/src/features/payouts/repository.ts by `npm run generate`. Do not edit.

-- findPayout
select *
from "payouts"
where "id" = $1;

-- findPayoutFor
select *
from "payouts"
where "purpose" = $1 and "subject_id" = $2 and "state" != $3;

-- insertAttempt
insert into "payout_attempts" ("payout_id", "number", "reference", "signed_bytes", "validity", "rent_lamports")
values ($1, $2, $3, $4, $5, $6);

-- insertFirstPayout
insert into payouts (id, purpose, subject_id, network, destination, amount_micros)
values ($1, $2, $3, $4, $5, $6);

-- insertPayout
insert into "payouts" ("reason", "reference", "parked_for")
values ($1, $2, $3)
on conflict ("purpose", "subject_id")
where "state" != 'void' do nothing
returning *;

-- latestAttempt
select *
from "payout_attempts"
where "payout_id" = $1
order by "number" desc
limit $2;

-- listOpenPayouts
select "id"
from "payouts"
where "state" in ($1, $2, $3, $4)
order by "updated_at"
limit $5;

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
  , (select a.reference from payout_attempts a where a.payout_id = payouts.id and a.state in ('sent', 'unknown', 'confirmed') order by a.number desc limit 1) as "sent_reference"
from "payouts"
where "subject_id" = any($1) and "state" != $2
order by "created_at";

-- moveAttempt
update "payout_attempts"
set "state" = $1
where "payout_id" = $2 and "number" = $3 and "state" in ($4, $5, $6);

-- movePayout
update "payouts"
set "parked_for" = $1, "updated_at" = market_now()
where "id" = $2 and "state" in ($3);

-- selectPayoutsOf
select *
  , (select a.reference from payout_attempts a where a.payout_id = payouts.id and a.state in ('sent', 'unknown', 'confirmed') order by a.number desc limit 1) as "sent_reference"
from "payouts"
where "subject_id" = any($1) and "state" != $2
order by "created_at";

-- writeDestination
update "payouts"
set "destination" = $1
where "id" = $2;
