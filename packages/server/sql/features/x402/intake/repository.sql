-- Generated from packages/server/src/features/x402/intake/repository.ts by `npm run generate`. Do not edit.

-- claimPaymentKey
insert into "payment_aliases" ("caip2", "alias", "subject_id", "reference")
values ($1, $2, $3, $4)
on conflict ("caip2", "alias") do nothing;
update "x402_payments"
set "caip2" = $1
  , "alias" = $2
  , "network" = $3
  , "state" = $4
  , "purpose" = $5
  , "subject_id" = $6
  , "fingerprint" = $7
  , "request" = $8
  , "version" = $9
  , "payload" = $10
  , "requirement" = $11
  , "amount_micros" = $12
  , "payer" = $13
  , "transaction" = $14
  , "signed_bytes" = $15
  , "reason" = $16
  , "created_at" = market_now()
  , "updated_at" = market_now()
  , "identifier" = $17
where "caip2" = $18 and "alias" = $19 and "state" = $20;
insert into "x402_payments" ("caip2", "alias", "network", "state", "purpose", "subject_id", "fingerprint", "request", "version", "payload", "requirement", "amount_micros", "payer", "transaction", "signed_bytes", "reason", "created_at", "updated_at", "identifier")
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19);

-- deletePurchase
delete from "x402_purchases"
where "caip2" = $1 and "reference" = $2;

-- dropOldIdentifiers
update "x402_payments"
set "identifier" = $1
where "identifier" in $2 and "state" != $3 and "created_at" <= market_now() - make_interval(hours => $4);

-- failPayment
update "x402_payments"
set "state" = $1, "transaction" = $2, "signed_bytes" = $3, "request" = $4, "reason" = $5, "updated_at" = market_now()
where "caip2" = $6
  and "alias" = $7
  and "subject_id" = $8
  and "state" in ($9, $10)
  and ("transaction" is null or "transaction" = $11);

-- findPayment
select *
from "x402_payments"
where "caip2" = $1 and "alias" = $2;

-- findPurchase
select *
from "x402_purchases"
where "caip2" = $1 and "reference" = $2;

-- findPurchaseOf
select *
from "x402_purchases"
where "subject_id" = $1;

-- insertPurchase
insert into "x402_purchases" ("caip2", "reference", "subject_id", "fingerprint", "sealed_answer", "created_at", "purpose", "payer", "told_at")
values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
returning *;

-- linkTransaction
update "payment_aliases"
set "reference" = $1, "subject_id" = $2
where "caip2" = $3 and "alias" = $4;

-- listIdentified
select *
from "x402_payments"
where "identifier" in $1
  and "state" != $2
  and "created_at" > market_now() - make_interval(hours => $3)
  and "payer" = $4
  and "fingerprint" = $5
limit $6;

-- listUnfinished
select (select json_agg(p) from ( select caip2, alias from x402_payments where state in ('settling', 'unknown') order by updated_at limit $1) p) as open
  , (select json_agg(r) from ( select c.subject_id as "subjectId", a.network from payment_claims c join ledger_accounts a on a.kind = 'escrow' and a.owner = c.subject_id and a.balance_micros > 0 where c.purpose = 'registration' and c.contestable_until <= market_now() limit $2) r) as unearned;

-- lockPayment
select *
from "x402_payments"
where "caip2" = $1 and "alias" = $2 for update;

-- markAnswered
update "x402_purchases"
set "told_at" = market_now()
where "subject_id" = $1 and "told_at" is null;

-- rememberTransaction
update "x402_payments"
set "state" = $1
  , "transaction" = $2
  , "signed_bytes" = case
  when transaction = $3 then signed_bytes end
  , "updated_at" = market_now()
where "caip2" = $4 and "alias" = $5 and "state" in ($6, $7);

-- replaceSealedAnswer
update "x402_purchases"
set "sealed_answer" = $1
where "subject_id" = $2;

-- settlePayment
update "x402_payments"
set "state" = $1, "transaction" = $2, "reason" = $3, "updated_at" = market_now()
where "caip2" = $4 and "alias" = $5;
