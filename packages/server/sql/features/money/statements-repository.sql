-- Generated from packages/server/src/features/money/statements-repository.ts by `npm run generate`. Do not edit.

-- readBalances
select network, balance_micros as micros
from ledger_accounts
where kind = $1 and owner = $2
order by network;

-- readStatement
select s.*
from ( select e.transfer_id, e.account_id, t.posted_at, t.kind, t.subject_id, a.network, a.kind as account, e.amount_micros, sum(e.amount_micros) over (partition by e.account_id order by e.transfer_id)::bigint as balance_micros from ledger_accounts a join ledger_entries e on e.account_id = a.id join ledger_transfers t on t.id = e.transfer_id where a.kind = $1 and a.owner = $2) s
where s.subject_id = $3 and (concat_ws('', s.kind, s.subject_id, s.network) ilike $4) and true
order by s.transfer_id desc, s.account_id desc
limit $5 offset $6;
select count(*)::int as count
from ledger_accounts a
join ledger_entries e on e.account_id = a.id
join ledger_transfers t on t.id = e.transfer_id
where a.kind = $1 and a.owner = $2 and t.subject_id = $3 and (concat_ws('', t.kind, t.subject_id, a.network) ilike $4);

-- readSubjectLines
select e.transfer_id
  , e.account_id
  , t.posted_at
  , t.kind
  , t.subject_id
  , a.network
  , a.kind as account
  , a.owner
  , p.purpose as payout_purpose
  , e.amount_micros
  , sum(e.amount_micros) over (partition by e.account_id order by e.transfer_id)::bigint as balance_micros
from ledger_transfers t
join ledger_entries e on e.transfer_id = t.id
join ledger_accounts a on a.id = e.account_id
left
join payouts p on a.kind = 'in_flight' and p.id = a.owner
where t.subject_id = $1
order by e.transfer_id desc, e.account_id desc;

-- readTotals
select network, kind as account, sum(balance_micros)::bigint as micros
from ledger_accounts
where kind <> 'treasury' and network not like '%/%'
group by network, kind
having sum(balance_micros) <> 0
union all select network, 'treasury', -sum(balance_micros)::bigint
from ledger_accounts
where kind <> 'treasury' and network not like '%/%'
group by network
having sum(balance_micros) <> 0
order by network, account;
