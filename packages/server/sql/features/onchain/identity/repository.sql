-- Generated from packages/server/src/features/onchain/identity/repository.ts by `npm run generate`. Do not edit.

-- endRegistration
update "agent_registrations"
set
where "movement_id" = $1;

-- findRegistration
select *
from "agent_registrations"
where "movement_id" = $1;

-- insertRegistration
insert into "agent_registrations" ("onchain_id", "ended_at")
values ($1, $2);

-- lockRegistration
select "id"
from "agents"
where "id" = $1 for update;
select "r".*
  , "m"."wallet"
  , "m"."reason"
  , coalesce(m.reference, (select a.reference from outgoing_attempts a where a.intent_id = m.id and a.state in ('signed', 'sent', 'unknown') order by a.number desc limit 1)) as "reference"
from "agent_registrations" as "r"
inner
join "wallet_movements" as "m" on "m"."id" = "r"."movement_id"
where "r"."agent_id" = $1
order by r.state = 'failed', "r"."created_at" desc
limit $2;

-- readRegistration
select "r".*
  , "m"."wallet"
  , "m"."reason"
  , coalesce(m.reference, (select a.reference from outgoing_attempts a where a.intent_id = m.id and a.state in ('signed', 'sent', 'unknown') order by a.number desc limit 1)) as "reference"
from "agent_registrations" as "r"
inner
join "wallet_movements" as "m" on "m"."id" = "r"."movement_id"
where "r"."agent_id" = $1
order by r.state = 'failed', "r"."created_at" desc
limit $2;

-- writeAgentIdentity
update "agents"
set
where "id" = $1;
