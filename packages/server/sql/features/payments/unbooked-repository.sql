-- Generated from packages/server/src/features/payments/unbooked-repository.ts by `npm run generate`. Do not edit.

-- listClaimsOf
select "c"."caip2", "c"."reference", "c"."purpose", "c"."payer", "c"."price_micros", "r"."network"
from "payment_claims" as "c"
inner
join "chain_receipts" as "r" on "r"."caip2" = "c"."caip2" and "r"."reference" = "c"."reference"
where "c"."payer" = $1;

-- listReferencesOf
select reference
from chain_receipts
where network = $1 and payer = $2
union select c.reference
from payment_claims c
join chain_receipts r using (caip2, reference)
where r.network = $3 and c.payer = $4;

-- listUnbooked
select *
from "unbooked_outflows"
where "intent_id" is null and "intent_key" is not null;

-- readMostSurplus
select (coalesce((select balance_micros from ledger_accounts where kind = 'surplus_payable' and owner = $1 and network = $2), 0) + coalesce((select sum(p.amount_micros) from payouts p where p.purpose = 'surplus' and p.network = $3 and p.subject_id like '%/' || $4 and p.state in ('queued', 'parked')), 0) + coalesce((select sum(a.balance_micros) from chain_receipts r join ledger_accounts a on a.kind = 'unmatched' and a.owner = r.network || '/' || r.reference where r.network = $5 and r.payer = $6 and r.reference <> $7), 0))::bigint as micros;
