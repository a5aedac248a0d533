-- Generated from packages/server/src/features/tokens/fees/found-repository.ts by `npm run generate`. Do not edit.

-- listOpenFound
select f.holder
  , f.reference
  , f.position
  , f.intent_key as "intentKey"
  , f.destination
  , f.amount::bigint as lamports
  , (-e.amount_micros - f.amount)::bigint as fee
from found_outflows f
join ledger_transfers t on t.idempotency_key = 'creator-fee-found:' || f.reference
join ledger_entries e on e.transfer_id = t.id
join ledger_accounts a on a.id = e.account_id and a.kind = 'unbooked'
where f.holder = $1 and f.taken_by is null and f.intent_key is not null and f.destination is not null;

-- lockQueued
select *
from "creator_fee_payouts"
where "state" = $1 and "share" = $2 and mint is not distinct from $3
order by "created_at" desc, "id" for update;
