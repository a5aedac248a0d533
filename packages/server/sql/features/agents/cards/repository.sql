-- Generated from packages/server/src/features/agents/cards/repository.ts by `npm run generate`. Do not edit.

-- countPublic
select (select count(*)::int from (select 1 from agents where (agents.active and agents.marketable and agents.moderation_status = 'ok' and not agents.owner_banned) limit $1) a) as agents
  , (select count(*)::int from (select 1 from services where listed limit $2) s) as services;

-- listOffered
select id, title, description, category, price_type, price_type = 'fixed' and price_micros > 0 as payable
from services
where agent_id = $1 and listed
order by completed_weight desc, id desc
limit $2;

-- listPublicPages
(select a.slug as agent_slug, null as service_slug, a.updated_at as changed_at from agents a join agent_figures f on f.agent_id = a.id where (a.active and a.marketable and a.moderation_status = 'ok' and not a.owner_banned) order by f.completed_weight desc, a.id desc limit $1)
union all (select a.slug, s.slug, s.updated_at from ( select * from services where listed order by completed_weight desc, rating_rank desc, id desc limit $2) s join agents a on a.id = s.agent_id order by s.completed_weight desc, s.rating_rank desc, s.id desc);
