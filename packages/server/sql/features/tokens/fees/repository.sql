-- Generated from packages/server/src/features/tokens/fees/repository.ts by `npm run generate`. Do not edit.

-- assignReceipt
update "creator_fee_receipts"
set
where "reference" = $1 and "part" = $2;

-- findFeePayout
select *
from "creator_fee_payouts"
where "id" = $1;

-- findTokens
select token_mint as mint
  , id as agent_id
  , case
  when token_mode = 'partner' then 'partner' else 'legacy' end as path
  , token_creator_wallet as creator_wallet
from agents
where token_mint = any($1);

-- insertFeePayout
with "intent" as (insert into "outgoing_intents" ("id", "purpose", "subject_id", "network", "payer", "destination", "asset", "amount") values ($1, $2, $3, $4, $5, $6, $7, $8)) insert into "creator_fee_claims" ("id", "share", "agent_id", "mint", "fee_reserve_lamports", "created_by")
values ($9, $10, $11, $12, $13, $14);

-- insertReceipt
insert into "creator_fee_receipts" ("reference", "lamports", "mint", "agent_id", "path", "agent_lamports", "partner_lamports", "buyback_lamports", "block_time", "booked_at", "part")
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
on conflict ("reference", "part") do nothing;

-- listFeePayoutIds
select "id"
from "creator_fee_payouts"
where "share" = $1 and mint is not distinct from $2;

-- listFeePayouts
select *
from "creator_fee_payouts"
where "recipient_wallet" = $1
order by "created_at" desc, "id" desc
limit $2;

-- listFeeShares
select distinct "mint", "agent_id"
from "creator_fee_receipts"
where "mint" is not null;

-- listKnownFeeReferences
select a.reference
from outgoing_attempts a
join creator_fee_payouts p on p.id = a.intent_id
where a.reference = any($1::text[])
union select reference
from outgoing_intents
where purpose = 'creator_fee' and reference = any($2::text[])
union select reference
from found_outflows
where reference = any($3::text[]);

-- listQueuedTo
select *
from "creator_fee_payouts"
where "state" = $1 and "share" = $2 and "agent_id" = $3 and "recipient_wallet" = $4;

-- listReceipts
select *
from "creator_fee_receipts"
order by "booked_at" desc, "reference" desc, "part"
limit $1;

-- lockReceipt
select *
from "creator_fee_receipts"
where "reference" = $1
order by "part" for update;

-- moveCursor
update "creator_fee_progress"
set "cursor" = $1
where cursor is not distinct from $2;

-- moveFeePayout
update "outgoing_intents"
set "parked_for" = $1, "updated_at" = market_now()
where "id" = $2 and "state" in ($3);
update "creator_fee_claims"
set "paid_at" = market_now()
where "id" = $1;

-- owedTo
( coalesce((select sum(o.agent_lamports) from creator_fee_receipts o where o.agent_id = $1 and o.mint = $2), 0) - coalesce((select sum(p.lamports) from creator_fee_payouts p where p.share = 'agent' and p.agent_id = $3 and p.mint = $4 and p.state <> 'failed'), 0))::bigint;

-- readCursor
select "cursor"
from "creator_fee_progress";

-- readOwedTo
select greatest(0, ( coalesce((select sum(o.agent_lamports) from creator_fee_receipts o where o.agent_id = $1 and o.mint = $2), 0) - coalesce((select sum(p.lamports) from creator_fee_payouts p where p.share = 'agent' and p.agent_id = $3 and p.mint = $4 and p.state <> 'failed'), 0))::bigint)::bigint as owed;

-- readRound
select cursor
  , array(select id from creator_fee_payouts where state in ('queued', 'signed', 'sent', 'unknown') order by updated_at limit $1) as open
from creator_fee_progress;

-- writeRecipient
update "outgoing_intents"
set "destination" = $1
where "id" = $2 and "state" = $3;
