-- Generated from packages/server/src/features/orders/portfolio/sample-repository.ts by `npm run generate`. Do not edit.

-- findSamples
select s.id as "serviceId", sample.upload_id as "uploadId", sample.is_small as "isSmall"
from services s
cross
join lateral ( select d.upload_id, u.size_bytes <= $1 as is_small from ( select o.id, o.service_id, o.completed_at from orders o where o.provider_agent_id = s.agent_id and o.status = 'completed' and o.allow_portfolio and not o.related_party order by o.completed_at desc limit $2) o cross join lateral ( select d.id, d.upload_id from deliverables d where d.order_id = o.id and d.status = 'completed' order by d.round desc, d.position, d.id limit 1) d join uploads u on u.id = d.upload_id and u.state = 'ready' and u.media_type = 'image' and (u.size_bytes <= $3 or u.preview_key is not null) where o.service_id = s.id and not exists (select 1 from hidden_portfolio h where h.agent_id = s.agent_id and h.source_id in (o.id, d.id)) order by o.completed_at desc, o.id desc limit 1) sample
where s.id = any($4::text[]);
