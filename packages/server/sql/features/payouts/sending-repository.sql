-- Generated from packages/server/src/features/payouts/sending-repository.ts by `npm run generate`. Do not edit.

-- assignUnbooked
update "unbooked_outflows"
set "intent_id" = $1
where "network" = $2 and "reference" = $3 and "position" = $4 and "intent_id" is null;

-- findPaidBy
select "r"."network", "c"."reference"
from "payment_claims" as "c"
inner
join "chain_receipts" as "r" on "r"."caip2" = "c"."caip2" and "r"."reference" = "c"."reference"
where "c"."subject_id" = $1;

-- findUnbooked
select *
from "unbooked_outflows"
where "intent_id" is null and "intent_key" in ($1);

-- findUnbookedDestination
select *
from "unbooked_outflows"
where "intent_id" is null and "intent_key" in ($1);

-- hasUnbooked
select "reference"
from "unbooked_outflows"
where "intent_id" is null
limit $1;

-- insertUnbooked
insert into "unbooked_outflows" ("network", "reference", "position", "intent_key", "destination", "amount_micros", "intent_id")
values ($1, $2, $3, $4, $5, $6, $7)
on conflict ("network", "reference", "position") do nothing;

-- isDelayAnnounced
select 1
from events
where subject_id = $1 and type = 'payout.delayed' and data->>'payout_id' = $2
limit 1;

-- listKnownOutgoing
select a.reference, a.intent_id as "intentId", null as "intentKey"
from outgoing_attempts a
join outgoing_intents i on i.id = a.intent_id
where a.reference = any($1::text[]) and i.payer = 'treasury'
union select reference, id, null
from payouts
where reference = any($2::text[])
union select reference, null, intent_key
from unbooked_outflows
where reference = any($3::text[])
union select reference, null, null
from chain_receipts
where caip2 = $4 and reference = any($5::text[]);

-- listOpenDeploys
select "id"
from "earn_intents"
where "network" = $1 and "kind" = $2 and "state" in ($3, $4, $5);

-- listPayoutsLike
select *
from "payouts"
where "network" = $1 and "destination" = $2 and "amount_micros" = $3 and "state" in ($4);

-- listWaitingAt
select "id"
from "payouts"
where "parked_for" = $1 and "network" = $2 and "destination" = $3;

-- listWaitingForAccount
select distinct on ("network", "destination") *
from "payouts"
where "parked_for" = $1
order by "network", "destination", "amount_micros" desc
limit $2;

-- lockOutflow
select pg_advisory_xact_lock(hashtextextended('outflow', 0));

-- queueWaitingForAccount
update "payouts"
set "state" = $1, "reason" = $2, "parked_for" = $3, "updated_at" = market_now()
where "id" in ($4) and "state" = $5 and "parked_for" = $6
returning "id";

-- readPayoutGauges
select (select count(*) from outflow_gate where reason is not null)::int as closed
  , coalesce((select sum(amount_micros) from payouts where id in (select intent_id from outgoing_attempts where created_at > market_now() - interval '1 hour')), 0)::bigint as "hourMicros"
  , (select count(*) from payouts where state = 'queued')::int as queued
  , (select count(*) from payouts where state = 'parked')::int as parked;

-- readSigningFacts
select p.state
  , p.destination
  , p.amount_micros as "amountMicros"
  , (select reason from outflow_gate) as "closedFor"
  , coalesce((select balance_micros from ledger_accounts where kind = 'in_flight' and owner = p.id and network = p.network), 0) as "reservedMicros"
  , o."openMicros"
  , o."openReturnedMicros"
  , h."hourMicros"
  , h."hourReturnedMicros"
  , coalesce((select sum(t.rent_lamports) from outgoing_attempts t join payouts d on d.id = t.intent_id where t.created_at > market_now() - interval '1 day' and t.state <> 'expired' and t.rent_lamports > 0), 0)::bigint as "dayLamports"
  , (select count(*) from outgoing_attempts t join payouts d on d.id = t.intent_id where t.created_at > market_now() - interval '1 day' and t.state <> 'expired' and t.rent_lamports > 0 and d.network = p.network and d.destination = p.destination)::int as "dayAccounts"
  , coalesce((select sum(w.amount_micros) from payouts w where w.parked_for = 'account' and w.network = p.network and w.destination = p.destination and w.id <> p.id), 0)::bigint as "waitingMicros"
from payouts p
  , lateral (select coalesce(sum(amount_micros), 0)::bigint as "openMicros", coalesce(sum(amount_micros) filter (where purpose = any($1::text[])), 0)::bigint as "openReturnedMicros" from payouts where state in ('signed', 'sent', 'unknown') and id <> p.id) o
  , lateral (select coalesce(sum(amount_micros), 0)::bigint as "hourMicros", coalesce(sum(amount_micros) filter (where purpose = any($2::text[])), 0)::bigint as "hourReturnedMicros" from payouts where id <> p.id and id in (select intent_id from outgoing_attempts where created_at > market_now() - interval '1 hour')) h
where p.id = $3;

-- readStoredIntent
select p.id
  , p.purpose
  , p.state
  , p.network
  , p.destination
  , p.amount_micros as "amountMicros"
  , (select reason from outflow_gate) as "closedFor"
  , coalesce((select balance_micros from ledger_accounts where kind = 'in_flight' and owner = p.id and network = p.network), 0) as "reservedMicros"
  , coalesce((select sum(w.amount_micros) from payouts w where w.parked_for = 'account' and w.network = p.network and w.destination = p.destination and w.id <> p.id), 0)::bigint as "waitingMicros"
from payouts p
where p.id = $1;

-- readdressQueued
update payouts p
set destination = $1, updated_at = market_now()
from orders o
where o.id = p.subject_id
  and o.provider_agent_id = $2
  and p.purpose = 'payout'
  and p.state = 'queued'
  and p.destination = $3
  and p.network = any($4::text[])
returning p.id;

-- not shown: findPaidAgentId
