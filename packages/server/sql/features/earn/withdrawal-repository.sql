-- Generated from packages/server/src/features/earn/withdrawal-repository.ts by `npm run generate`. Do not edit.

-- addBurned
update earn_withdrawals
set shares = shares + $1
  , units = units + $2
  , units_left = units_left + $3
  , principal_micros = principal_micros + $4
  , updated_at = market_now()
where id = $5;

-- addPaid
update "earn_withdrawals"
set "paid_micros" = paid_micros + $1, "updated_at" = market_now()
where "id" = $2;

-- countRefusal
update "earn_withdrawals"
set "refusals" = refusals + 1
where "id" = $1;

-- countWaiting
select vault_key as key, count(*)::int as count
from earn_withdrawals
where status in ('queued', 'redeeming')
group by vault_key;

-- countWithdrawalsOf
select count(*)::int as "count"
from "earn_withdrawals"
where "vault_key" = $1 and "owner_kind" = $2 and "owner_id" = $3;

-- findOpenOf
select *
from "earn_withdrawals"
where "vault_key" = $1 and "owner_kind" = $2 and "owner_id" = $3 and "takes_more" = $4 and "status" in ($5, $6);

-- findPart
select *
from "earn_parts"
where "id" = $1;

-- findWithdrawal
select *
from "earn_withdrawals"
where "id" = $1;

-- insertPart
insert into "earn_parts" ("paid_reference")
values ($1);

-- joinWithdrawal
update earn_withdrawals
set shares = shares + $1
  , units = units + $2
  , units_left = units_left + $3
  , principal_micros = principal_micros + $4
  , updated_at = market_now()
where id = $5;
update earn_withdrawals
set queue_number = default, slippage_bps = least(slippage_bps, $1)
where id = $2;

-- listParts
select p.*
  , i.reference as redeem_reference
  , o.state as payout_state
  , coalesce(p.paid_reference, (select a.reference from outgoing_attempts a where a.intent_id = p.payout_id and a.state in ('sent', 'unknown', 'confirmed') order by a.number desc limit 1)) as sent_reference
from earn_parts p
join earn_intents i on i.id = p.intent_id
left
join payouts o on o.id = p.payout_id
where p.withdrawal_id = any($1::text[])
order by p.withdrawal_id, p.number;

-- listQueue
select *
from "earn_withdrawals"
where "vault_key" = $1 and "status" in ($2, $3)
order by "queue_number"
limit $4;

-- listWithdrawals
select *
from "earn_withdrawals"
where "id" in ($1);

-- lockQueue
select *
from "earn_withdrawals"
where "vault_key" = $1 and "status" in ($2, $3)
order by "queue_number"
limit $4 for update;

-- lockQueueOf
select *
from "earn_withdrawals"
where "vault_key" = $1 and "status" in ($2, $3)
order by "queue_number" for update;

-- lockWithdrawal
select *
from "earn_withdrawals"
where "id" = $1 for update;

-- markPartPaid
update "earn_parts"
set "paid_reference" = $1
where "id" = $2 and "paid_reference" is null;

-- moveWithdrawal
update "earn_withdrawals"
set "status" = $1, "settled_at" = $2, "updated_at" = market_now()
where "id" = $3 and "status" = $4;

-- readPlaces
select w.id, (q.count + 1)::int as place, q.units::text as ahead
from earn_withdrawals w
cross
join lateral ( select count(*) as count, coalesce(sum(units_left), 0) as units from earn_withdrawals q where q.vault_key = w.vault_key and q.status in ('queued', 'redeeming') and q.queue_number < w.queue_number) q
where w.id = any($1::text[]) and w.status in ('queued', 'redeeming');

-- readRecentlyFreed
select coalesce(sum(p.units), 0)::text as units
from earn_parts p
join earn_withdrawals w on w.id = p.withdrawal_id
where w.vault_key = $1 and p.created_at > market_now() - interval '7 days';

-- spreadOver
update "earn_withdrawals"
set "units_left" = $1, "units_spread" = units_spread + $2, "status" = status, "updated_at" = market_now()
where "id" = $3;

-- startRedeeming
update "earn_withdrawals"
set "status" = $1, "reason" = $2, "updated_at" = market_now()
where "id" in ($3) and "status" = $4;

-- not shown: insertWithdrawal
