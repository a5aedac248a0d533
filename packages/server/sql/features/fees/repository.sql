-- Generated from packages/server/src/features/fees/repository.ts by `npm run generate`. Do not edit.

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

-- insertFeeAttempt
insert into "creator_fee_attempts" ("payout_id", "number", "reference", "signed_bytes", "validity")
values ($1, $2, $3, $4, $5);

-- insertFeePayout
insert into "creator_fee_payouts" ()
values ();

-- insertReceipt
insert into "creator_fee_receipts" ("reference", "lamports", "mint", "agent_id", "path", "agent_lamports", "partner_lamports", "buyback_lamports", "block_time", "booked_at", "part")
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
on conflict ("reference", "part") do nothing;

-- latestFeeAttempt
select *
from "creator_fee_attempts"
where "payout_id" = $1
order by "number" desc
limit $2;

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
select reference
from creator_fee_attempts
where reference = any($1::text[])
union select reference
from creator_fee_payouts
where reference = any($2::text[])
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

-- moveFeeAttempt
update "creator_fee_attempts"
set "state" = $1
where "payout_id" = $2 and "number" = $3 and "state" in ($4, $5, $6);

-- moveFeePayout
update "creator_fee_payouts"
set "paid_at" = market_now(), "updated_at" = market_now()
where "id" = $1 and "state" in ($2);

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
update "creator_fee_payouts"
set "recipient_wallet" = $1
where "id" = $2 and "state" = $3;
