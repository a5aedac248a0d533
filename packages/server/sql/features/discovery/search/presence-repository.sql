-- Generated from packages/server/src/features/discovery/search/presence-repository.ts by `npm run generate`. Do not edit.

-- findSignsOfLife
select "services"."id"
  , (select p.seen_at from agent_presence p where p.agent_id = agents.id) as "seen_at"
  , exists ( select 1 from agent_presence p where p.agent_id = agents.id and p.seen_at > market_now() - make_interval(mins => $1)) as "seen_lately"
  , agents.endpoint_url is not null
  and coalesce(( select w.error is not null from webhook_attempts w where w.agent_id = agents.id and w.url is not null order by w.agent_seq desc, w.number desc limit 1), false) as "endpoint_fails"
from "services"
inner
join "agents" on "agents"."id" = "services"."agent_id"
where "services"."id" in ($2);
