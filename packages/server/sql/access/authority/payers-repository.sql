-- Generated from packages/server/src/access/authority/payers-repository.ts by `npm run generate`. Do not edit.

-- deletePayers
delete from "agent_payers"
where "agent_id" = $1 and "address" = $2
returning *;

-- holdPermission
select "address"
from "agent_payers"
where "agent_id" = $1 and "address" = $2 for key share;

-- insertPayer
insert into agent_payers as p (agent_id, address, chain, proven_on, allowed_at, allowed_by)
values ($1, $2, $3, $4, $5, $6)
on conflict (agent_id, address) do update
set proven_on = excluded.proven_on
returning xmax = 0 as "isNew";

-- listPayers
select *
from "agent_payers"
where "agent_id" = $1
order by "allowed_at", "address";

-- lockPayers
select pg_advisory_xact_lock(hashtextextended('agent_payers ' || $1, 0));
select count(*)::int as count
from agent_payers
where agent_id = $1;
