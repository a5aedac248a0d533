-- Generated from packages/server/src/features/ledger/repository.ts by `npm run generate`. Do not edit.

-- insertPosting
select post_ledger_transfer($1, $2, $3, $4, $5, $6, $7) as id;

-- insertPostings
select post_ledger_transfer($1, $2, $3, $4, $5, $6, $7) as id;

-- listOwingNetworks
select network
from ledger_accounts
where kind <> 'treasury'
group by network
having sum(balance_micros) <> 0;

-- lockBalance
select "balance_micros"
from "ledger_accounts"
where "kind" = $1 and "owner" = $2 and "network" = $3 for update;

-- lockFloat
select lock_ledger_float($1) as float;

-- readBalance
select "balance_micros"
from "ledger_accounts"
where "kind" = $1 and "owner" = $2 and "network" = $3;

-- readFloat
select coalesce(sum(balance_micros), 0)::bigint as float
from ledger_accounts
where kind in ('interchain', 'platform_fee') and owner = '' and network = $1;

-- sealTransfers
select seal_ledger($1) as sealed;
