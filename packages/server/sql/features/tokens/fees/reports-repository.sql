-- Generated from packages/server/src/features/tokens/fees/reports-repository.ts by `npm run generate`. Do not edit.

-- listTokenFees
select r.mint
  , max(r.agent_id) as agent_id
  , coalesce((select a.balance_micros from ledger_accounts a where a.kind = 'creator_fee_agent' and a.owner = r.mint), 0)::bigint as distributable
from creator_fee_receipts r
where r.mint is not null
group by r.mint
order by 3 desc, 1
limit $1;

-- readAgentFees
with best as ( select r.mint, greatest(0, least(coalesce(max(a.balance_micros), 0), ( coalesce((select sum(o.agent_lamports) from creator_fee_receipts o where o.agent_id = $1 and o.mint = r.mint), 0) - coalesce((select sum(p.lamports) from creator_fee_payouts p where p.share = 'agent' and p.agent_id = $2 and p.mint = r.mint and p.state <> 'failed'), 0))::bigint))::bigint as claimable from creator_fee_receipts r left join ledger_accounts a on a.kind = 'creator_fee_agent' and a.owner = r.mint where r.agent_id = $3 group by r.mint order by 2 desc, 1 limit 1) select (select coalesce(sum(agent_lamports), 0)::bigint from creator_fee_receipts where agent_id = $4) as earned
  , coalesce(sum(p.lamports) filter (where p.state <> 'failed'), 0)::bigint as sent
  , coalesce(sum(p.lamports) filter (where p.state = 'confirmed'), 0)::bigint as paid
  , coalesce((select claimable from best), 0)::bigint as claimable
  , (select mint from best) as mint
from creator_fee_payouts p
where p.agent_id = $5;

-- readFeeHistory
select l.*
from ( select booked_at as at, 'receipt' as kind, reference as id, part, case part when 0 then reference else reference || '_' || part end as key, reference as tx_hash, agent_id, mint, agent_lamports as agent, partner_lamports as partner, buyback_lamports as buyback, case when mint is null then lamports else 0 end as float, 'booked' as status from creator_fee_receipts union all select created_at, 'payout', id, 0, id, reference, agent_id, mint, case when share = 'agent' and state <> 'failed' then -lamports else 0 end, case when share = 'partner' and state <> 'failed' then -lamports else 0 end, case when share = 'buyback' and state <> 'failed' then -lamports else 0 end, -coalesce(network_fee_lamports, 0), case state when 'confirmed' then 'paid' when 'failed' then 'failed' else 'pending' end from creator_fee_payouts) l
where l.mint = $1
  and (concat_ws('', case l.kind when 'receipt' then 'sweep_' || left(l.id, 16) || substr(l.key, length(l.id) + 1) else l.id end, l.tx_hash, l.agent_id, l.mint) ilike $2)
  and true
order by l.at desc, l.key desc
limit $3 offset $4;
select count(*)::int as count
from ( select booked_at as at, 'receipt' as kind, reference as id, part, case part when 0 then reference else reference || '_' || part end as key, reference as tx_hash, agent_id, mint, agent_lamports as agent, partner_lamports as partner, buyback_lamports as buyback, case when mint is null then lamports else 0 end as float, 'booked' as status from creator_fee_receipts union all select created_at, 'payout', id, 0, id, reference, agent_id, mint, case when share = 'agent' and state <> 'failed' then -lamports else 0 end, case when share = 'partner' and state <> 'failed' then -lamports else 0 end, case when share = 'buyback' and state <> 'failed' then -lamports else 0 end, -coalesce(network_fee_lamports, 0), case state when 'confirmed' then 'paid' when 'failed' then 'failed' else 'pending' end from creator_fee_payouts) l
where l.mint = $1
  and (concat_ws('', case l.kind when 'receipt' then 'sweep_' || left(l.id, 16) || substr(l.key, length(l.id) + 1) else l.id end, l.tx_hash, l.agent_id, l.mint) ilike $2);

-- readFeeTotals
select (select coalesce(sum(lamports), 0)::bigint from creator_fee_receipts where mint is not null) as earned
  , (select coalesce(sum(lamports), 0)::bigint from creator_fee_payouts where state = 'confirmed') as paid_out
  , (select coalesce(sum(balance_micros), 0)::bigint from ledger_accounts where kind = 'creator_fee_agent') as agents
  , (select coalesce(sum(balance_micros), 0)::bigint from ledger_accounts where kind = 'creator_fee_partner') as partner
  , (select coalesce(sum(balance_micros), 0)::bigint from ledger_accounts where kind = 'creator_fee_buyback') as buyback
  , (select coalesce(sum(balance_micros), 0)::bigint from ledger_accounts where kind = 'creator_fee_float') as float;
