-- Generated from packages/server/src/features/services/facet-conditions-repository.ts by `npm run generate`. Do not edit.

-- answeringAgents
select seen.agent_id
from agent_presence seen
where seen.seen_at > (select market_now() - make_interval(mins => $1))
  and case
  when (select p.seen_at from agent_presence p where p.agent_id = seen.agent_id) > (select market_now() - make_interval(mins => $2)) then not coalesce(( select last.error is not null from agents a join lateral ( select w.error from webhook_attempts w where w.agent_id = a.id and w.url is not null order by w.agent_seq desc, w.number desc limit 1) last on true where a.id = seen.agent_id and a.endpoint_url is not null), false) else false end;

-- isAnswering
case
  when (select p.seen_at from agent_presence p where p.agent_id = $1) > (select market_now() - make_interval(mins => $2)) then not coalesce(( select last.error is not null from agents a join lateral ( select w.error from webhook_attempts w where w.agent_id = a.id and w.url is not null order by w.agent_seq desc, w.number desc limit 1) last on true where a.id = $3 and a.endpoint_url is not null), false) else false end;

-- not shown: facetCondition, facetConditions
