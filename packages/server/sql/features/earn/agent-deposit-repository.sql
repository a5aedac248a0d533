-- Generated from packages/server/src/features/earn/agent-deposit-repository.ts by `npm run generate`. Do not edit.

-- endAgentDeposit
update "earn_agent_deposits"
set
where "movement_id" = $1 and "state" = $2;

-- findAgentDeposit
select *
from "earn_agent_deposits"
where "movement_id" = $1;

-- findSweep
select *
from "earn_sweeps"
where "agent_id" = $1;

-- hasFoundTransfer
select "reference"
from "found_outflows"
where "network" = $1
  and "reference" = $2
  and "asset" = $3
  and "destination" = $4
  and split_part(holder, '/', 2) in ($5)
  and "taken_by" is null
limit $6;

-- insertAgentDeposit
insert into "earn_agent_deposits" ("deposit_id", "reason")
values ($1, $2);

-- listEnabledSweeps
select *
from "earn_sweeps"
where "enabled" = $1
order by "agent_id";

-- listOpenAgentDeposits
select "movement_id"
from "earn_agent_deposits"
where "state" = $1
order by "created_at"
limit $2;

-- noteSweepProblem
update "earn_sweeps"
set "last_problem" = $1
where "agent_id" = $2 and last_problem is distinct from $3;

-- readSwept
select coalesce(sum(amount_micros), 0)::bigint as micros
from earn_agent_deposits
where agent_id = $1 and by_sweep and state <> 'failed' and created_at > market_now() - interval '1 day';

-- saveSweep
insert into "earn_sweeps" ("last_problem")
values ($1)
on conflict ("agent_id") do update
set "last_problem" = $2, "updated_at" = market_now();

-- stopAllSweeps
update "earn_sweeps"
set "enabled" = $1, "last_problem" = $2, "updated_at" = market_now()
where "enabled" = $3
returning "agent_id";

-- stopSweep
update "earn_sweeps"
set "enabled" = $1, "set_by" = $2, "last_problem" = $3, "updated_at" = market_now()
where "agent_id" = $4;
