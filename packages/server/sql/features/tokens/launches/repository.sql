-- Generated from packages/server/src/features/tokens/launches/repository.ts by `npm run generate`. Do not edit.

-- endMint
update "agent_mints"
set "state" = $1
where "movement_id" = $2;

-- findMadeOf
select *
from "agent_mints"
where "movement_id" in ($1) and "state" != $2
limit $3;

-- findMint
select *
from "agent_mints"
where "movement_id" = $1;

-- findMintByAddress
select *
from "agent_mints"
where "mint" = $1;

-- insertMint
insert into "agent_mints" ()
values ();

-- listMints
select "mint"
from "agent_mints"
where "agent_id" = $1 and "kind" = $2;

-- lockIdentity
select "id"
from "agents"
where "id" = $1 for update;
select "said_wallet"
  , exists (select 1 from agent_mints k where k.agent_id = agents.id and k.kind = 'said_identity' and k.state = 'open') as "open"
from "agents"
where "id" = $1;

-- readIdentity
select "said_wallet"
  , exists (select 1 from agent_mints k where k.agent_id = agents.id and k.kind = 'said_identity' and k.state = 'open') as "open"
from "agents"
where "id" = $1;

-- writeIdentity
update "agents"
set
where "id" = $1;
