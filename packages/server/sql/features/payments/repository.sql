-- Generated from packages/server/src/features/payments/repository.ts by `npm run generate`. Do not edit.

-- areReceiptsFinal
select "chain_receipts"."reference"
from "payment_claims"
inner
join "chain_receipts" on "chain_receipts"."caip2" = "payment_claims"."caip2"
  and "chain_receipts"."reference" = "payment_claims"."reference"
where "payment_claims"."payer" = $1 and "chain_receipts"."finality" != $2;

-- findClaim
select *
from "payment_claims"
where "caip2" = $1 and "reference" = $2;

-- findReceipt
select *
from "chain_receipts"
where "caip2" = $1 and "reference" = $2 for update;

-- findUnknownReferences
select l.reference
from unnest($1::text[]) with ordinality as l (reference, place)
where not exists (select 1 from chain_receipts r where r.caip2 = $2 and r.reference = l.reference)
order by l.place;

-- findUnprovenClaim
select "c".*
from "payment_claims" as "c"
where "c"."subject_id" = $1
  and ("c"."proof" = $2 or ("c"."proof" = $3 and exists (select "p"."reference" from "bare_presentations" as "p" where "p"."caip2" = "c"."caip2" and "p"."reference" = "c"."reference" and "p"."subject_id" = "c"."subject_id" and "p"."ended_at" is null)));

-- insertClaim
insert into "payment_claims" ()
values ()
on conflict ("caip2", "reference") do nothing;

-- insertReceipt
insert into "chain_receipts" ("caip2", "reference", "network", "payer", "received_micros", "block_number", "block_time", "finality", "notes")
values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
on conflict ("caip2", "reference") do nothing;

-- isAgentDeposit
select "m"."id"
from "outgoing_attempts" as "a"
inner
join "wallet_movements" as "m" on "m"."id" = "a"."intent_id"
where "a"."reference" = $1 and "m"."purpose" = $2;

-- isPaymentReverted
select "chain_receipts"."reference"
from "payment_claims"
inner
join "chain_receipts" on "chain_receipts"."caip2" = "payment_claims"."caip2"
  and "chain_receipts"."reference" = "payment_claims"."reference"
where "payment_claims"."subject_id" = $1 and "chain_receipts"."finality" = $2;

-- listOpenReceipts
select *
from "chain_receipts"
where "caip2" = $1
  and ("finality" in ($2, $3) or ("finality" = $4 and "recorded_at" > market_now() - interval '7 days'))
order by "checked_at"
limit $5;

-- listRecentMovements
select "m"."id", "a"."signed_bytes"
from "agent_wallets" as "w"
inner
join "wallet_movements" as "m" on "m"."agent_id" = "w"."agent_id"
inner
join "outgoing_attempts" as "a" on "a"."intent_id" = "m"."id"
where "w"."address" = $1
  and "m"."wallet" = $2
  and "m"."network" = $3
  and "m"."asset" = $4
  and "a"."created_at" > market_now() - interval '1 day';

-- listUnmatched
select r.*
from chain_receipts r
join ledger_accounts a on a.kind = 'unmatched' and a.owner = r.network || '/' || r.reference
where a.balance_micros > 0 and (concat_ws('', r.network, r.reference, r.payer) ilike $1) and true
order by r.block_time desc, r.reference desc
limit $2 offset $3;
select count(*)::int as count
from chain_receipts r
join ledger_accounts a on a.kind = 'unmatched' and a.owner = r.network || '/' || r.reference
where a.balance_micros > 0 and (concat_ws('', r.network, r.reference, r.payer) ilike $1);

-- lockClaim
select *
from "payment_claims"
where "caip2" = $1 and "reference" = $2 for update;

-- markProven
update "payment_claims"
set "proof" = $1, "contestable_until" = $2
where "caip2" = $3 and "reference" = $4 and "subject_id" = $5 and "proof" in ($6, $7);

-- moveClaimRow
insert into "payment_claim_moves" ("caip2", "reference", "number", "from_purpose", "from_subject_id", "from_price_micros", "contestable_until", "to_purpose", "to_subject_id", "to_price_micros", "proof", "claimed_at")
values ($1, $2, (select count(*) + 1 from payment_claim_moves where caip2 = $3 and reference = $4), $5, $6, $7, $8, $9, $10, $11, $12, $13)
returning "number";
update "payment_claims"
set "contestable_until" = $1, "claimed_at" = market_now()
where "caip2" = $2 and "reference" = $3
returning *;

-- readReceiptRow
select *
from "chain_receipts"
where "caip2" = $1 and "reference" = $2;

-- readUnfinalMicros
select coalesce(sum(c.amount_micros), 0)::bigint as micros
from chain_receipts r
join payment_claims c using (caip2, reference)
where r.network = $1 and r.finality <> 'final';

-- readWatched
select (select json_agg(json_build_object('caip2', caip2, 'cursor', cursor, 'isOld', updated_at < market_now() - interval '30 seconds')) from chain_cursors) as cursors
  , exists (select 1 from chain_receipts where finality in ('seen', 'confirmed'))
  or exists (select 1 from chain_receipts where finality = 'gone' and recorded_at > market_now() - interval '7 days') as "hasOpenReceipts";

-- updateReceipt
update "chain_receipts"
set "block_number" = $1
  , "block_time" = $2
  , "finality" = $3
  , "received_micros" = $4
  , "payer" = $5
  , "checked_at" = market_now()
  , "notes" = $6
where "caip2" = $7 and "reference" = $8;

-- writeCursor
insert into chain_cursors (caip2, cursor)
values ($1, $2)
on conflict (caip2) do update
set cursor = excluded.cursor, updated_at = market_now();

-- writeFinality
update "chain_receipts"
set "finality" = $1, "checked_at" = market_now()
where "caip2" = $2 and "reference" = $3;
