-- Generated from packages/server/src/features/audit/invariants-repository.ts by `npm run generate`. Do not edit.

-- findViolations
with violations as materialized (x) select *
from violations
limit 50;

-- freezeMoment
set transaction isolation level repeatable read read only;
set local statement_timeout = '10min';

-- listUnits
select v.key
  , v.network
  , v.venue_address as venue
  , i.router
  , (v.total_units + v.queued_units + v.unvested_units)::text as units
from earn_vaults v
cross
join lateral (select router from earn_intents i where i.vault_key = v.key order by created_at desc limit 1) i
where v.total_units + v.queued_units > 0
  and not exists (select 1 from earn_intents o where o.vault_key = v.key and o.kind <> 'allow' and o.state in ('queued', 'signed', 'sent', 'unknown'));

-- readBook
select (select coalesce(sum(balance_micros), 0) from ledger_accounts where network = $1 and kind <> 'treasury')::bigint as held
  , coalesce(sum(amount_micros) filter (where state in ('signed', 'sent', 'unknown')), 0)::bigint as "openPayouts"
  , coalesce(sum(amount_micros) filter (where state = 'confirmed'), 0)::bigint as "paidOut"
from (select state, amount_micros from payouts where network = $2 union all select state, assets from earn_intents where kind = 'deposit' and network = $3) leaving;

-- readFeeVault
select coalesce((select -sum(balance_micros) from ledger_accounts where kind = 'treasury' and network = 'solana-mainnet/sol'), 0)::text as held
  , coalesce((select sum(lamports + fee_reserve_lamports) from creator_fee_payouts where state in ('signed', 'sent', 'unknown')), 0)::text as open
  , coalesce((select sum(p.fee_reserve_lamports) from creator_fee_payouts p join outgoing_attempts a on a.intent_id = p.id and a.state = 'failed'), 0)::text as "failedFees";
