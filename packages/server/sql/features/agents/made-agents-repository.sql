-- Generated from packages/server/src/features/agents/made-agents-repository.ts by `npm run generate`. Do not edit.

-- deactivateAgentsOf
update "agents"
set "active" = $1, "updated_at" = $2
where "stops_with" = $3 and "active" = $4
returning "id", "name";
delete from paused_agents p using agents a
where a.id = p.agent_id and a.stops_with = $1;
update "agents"
set "stops_with" = $1, "endpoint_url" = $2
where "stops_with" = $3;

-- endPause
with ended as ( delete from paused_agents p using agents a where a.id = p.agent_id and a.stops_with = $1 and ($2 or a.id = any($3::text[])) returning p.agent_id, p.endpoint_url, a.active as was_active, a.active or (p.active and not exists ( select 1 from agents o where o.name_skeleton = a.name_skeleton and o.active)) as active) update agents
set active = ended.active
  , updated_at = $4
  , endpoint_url = coalesce(agents.endpoint_url, case when $5 then ended.endpoint_url end)
from ended
where ended.agent_id = agents.id
returning agents.id, agents.name, agents.active and not ended.was_active as "isBack";

-- handOverAgents
update "agents"
set "stops_with" = $1
where "stops_with" = $2;

-- keepAgentsOf
update "agents"
set "stops_with" = $1
  , "endpoint_url" = case
  when coalesce(( select not e.context ? 'by_program' from events e where e.subject_id = agents.id and e.type = 'agent.endpoint_changed' order by e.id desc limit 1), false) then endpoint_url end
where "stops_with" = $2 and "id" in ($3);

-- pauseMadeAgents
insert into paused_agents (agent_id, active, endpoint_url) select id
  , active
  , case
  when not coalesce(( select not e.context ? 'by_program' from events e where e.subject_id = agents.id and e.type = 'agent.endpoint_changed' order by e.id desc limit 1), false) then endpoint_url end
from agents
where stops_with is not null
on conflict (agent_id) do update
set active = paused_agents.active
  or excluded.active
  , endpoint_url = coalesce(excluded.endpoint_url, paused_agents.endpoint_url);
update agents
set active = false
  , endpoint_url = case
  when coalesce(( select not e.context ? 'by_program' from events e where e.subject_id = agents.id and e.type = 'agent.endpoint_changed' order by e.id desc limit 1), false) then agents.endpoint_url end
  , updated_at = $1
from (select id, active from agents where stops_with is not null for update) was
where was.id = agents.id and (was.active or agents.endpoint_url is not null)
returning agents.id, agents.name, was.active as "wasActive";

-- writeCreators
update "agents"
set "created_by" = $1
where "id" = $2;
