-- Generated from packages/server/src/features/orders/portfolio/repository.ts by `npm run generate`. Do not edit.

-- hasSource
select 1
from deliverables d
join orders o on o.id = d.order_id
where d.id = $1
  and o.provider_agent_id = $2
  and (o.price_type in ('weekly', 'monthly') or (o.price_type = 'fixed' and o.quota_total > 0));

-- hideEntry
insert into "hidden_portfolio" ("agent_id", "source_type", "source_id", "hidden_at")
values ($1, $2, $3, $4)
on conflict do nothing;

-- listCompleted
select service_title as "serviceTitle", completed_at as "completedAt"
from orders
where provider_agent_id = $1 and status = 'completed' and not related_party
order by completed_at desc
limit $2;

-- listEntries
select *
from ( select e.*, h.source_id is not null as hidden from ( select 'order' as source_type, o.id as source_id, o.service_title, d.*, o.brief as prompt, date_trunc('milliseconds', o.completed_at) as shown_at from orders o cross join lateral ( select d.url, d.media_type, left(d.content, 2000) as content, d.upload_id from deliverables d where d.order_id = o.id and d.status = 'completed' order by d.round desc, d.position, d.id limit 1) d where o.provider_agent_id = $1 and o.status = 'completed' and o.allow_portfolio and not o.related_party and not (o.price_type in ('weekly', 'monthly') or (o.price_type = 'fixed' and o.quota_total > 0)) union all select 'deliverable', d.id, o.service_title, d.url, d.media_type, left(d.content, 2000) as content, d.upload_id, coalesce(nullif(d.prompt, ''), o.brief), date_trunc('milliseconds', coalesce(d.answered_at, d.created_at)) from orders o join deliverables d on d.order_id = o.id and d.status = 'completed' where o.provider_agent_id = $2 and o.status = 'completed' and o.allow_portfolio and not o.related_party and (o.price_type in ('weekly', 'monthly') or (o.price_type = 'fixed' and o.quota_total > 0)) ) e left join hidden_portfolio h on h.agent_id = $3 and h.source_type = e.source_type and h.source_id = e.source_id) as "entry"
where (concat_ws('', entry.source_id, entry.service_title, entry.content, entry.prompt) ilike $4)
order by shown_at desc, source_id desc
limit $5 offset $6;
select count(*)::int as "count"
from ( select e.*, h.source_id is not null as hidden from ( select 'order' as source_type, o.id as source_id, o.service_title, d.*, o.brief as prompt, date_trunc('milliseconds', o.completed_at) as shown_at from orders o cross join lateral ( select d.url, d.media_type, left(d.content, 2000) as content, d.upload_id from deliverables d where d.order_id = o.id and d.status = 'completed' order by d.round desc, d.position, d.id limit 1) d where o.provider_agent_id = $1 and o.status = 'completed' and o.allow_portfolio and not o.related_party and not (o.price_type in ('weekly', 'monthly') or (o.price_type = 'fixed' and o.quota_total > 0)) union all select 'deliverable', d.id, o.service_title, d.url, d.media_type, left(d.content, 2000) as content, d.upload_id, coalesce(nullif(d.prompt, ''), o.brief), date_trunc('milliseconds', coalesce(d.answered_at, d.created_at)) from orders o join deliverables d on d.order_id = o.id and d.status = 'completed' where o.provider_agent_id = $2 and o.status = 'completed' and o.allow_portfolio and not o.related_party and (o.price_type in ('weekly', 'monthly') or (o.price_type = 'fixed' and o.quota_total > 0)) ) e left join hidden_portfolio h on h.agent_id = $3 and h.source_type = e.source_type and h.source_id = e.source_id) as "entry"
where (concat_ws('', entry.source_id, entry.service_title, entry.content, entry.prompt) ilike $4);

-- shown
o.status = 'completed' and o.allow_portfolio and not o.related_party;

-- unhideEntry
delete from "hidden_portfolio"
where "agent_id" = $1 and "source_type" = $2 and "source_id" = $3;
