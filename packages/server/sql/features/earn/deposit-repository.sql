-- Generated from packages/server/src/features/earn/deposit-repository.ts by `npm run generate`. Do not edit.

-- findDeposit
select *
from "earn_deposits"
where "id" = $1;

-- findLastPayer
select "payer"
from "earn_deposits"
where "owner_kind" = $1 and "owner_id" = $2 and "network" = $3
order by "created_at" desc, "id" desc
limit $4;

-- insertDeposit
insert into "earn_deposits" ("owner_kind", "owner_id", "reason", "deploy_reference", "refund_reference", "settled_at")
values ($1, $2, $3, $4, $5, $6);

-- listDeposits
select *
from "earn_deposits"
where "id" in ($1);

-- listHeldDeposits
select *
from "earn_deposits"
where "status" = $1
order by "created_at"
limit $2;

-- listOpenDeposits
select "id"
from "earn_deposits"
where "status" in ($1, $2)
order by "updated_at"
limit $3;

-- moveDeposit
update "earn_deposits"
set "status" = $1, "settled_at" = $2, "updated_at" = market_now()
where "id" = $3 and "status" = $4;
