-- Generated from packages/server/src/features/money/surplus-repository.ts by `npm run generate`. Do not edit.

-- listSurplusSources
with account as (select id from ledger_accounts where kind = $1 and owner = $2 and network = $3)
  , postings as ( select t.id, t.kind, e.amount_micros, case when t.kind = 'payment_claimed' then substr(t.idempotency_key, length('claim:') + 1) else t.subject_id end as name from ledger_entries e join ledger_transfers t on t.id = e.transfer_id where e.account_id = (select id from account)) select r.network
  , r.reference
  , r.finality
from postings p
join chain_receipts r on r.caip2 = split_part(p.name, '/', 1)
  and r.reference = split_part(split_part(p.name, '/', 2), ':', 1)
where p.amount_micros > 0 and p.id > coalesce((select max(id) from postings where kind = 'payout_reserved'), 0)
order by p.id;
