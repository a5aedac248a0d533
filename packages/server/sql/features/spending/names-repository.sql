-- Generated from packages/server/src/features/spending/names-repository.ts by `npm run generate`. Do not edit.

-- findCreators
select 'agent:' || a.id as entry
  , 'agent' as kind
  , a.id
  , a.name
  , array_remove(array['user:' || a.owner_user_id, case when a.owner_proven then 'wallet:' || a.owner_wallet end], null) as owners
  , a.closed_at is not null as "isClosed"
from agents a
where a.id in (select substr(e, 7) from unnest($1::text[]) e where e like 'agent:%')
union all select 'program:' || p.id
  , 'connection'
  , coalesce(c.id, p.id)
  , coalesce(c.client_name, 'A program that was connected')
  , array[p.person]
  , false
from connected_programs p
left
join lateral (select id, client_name from connections where program_id = p.id order by created_at desc limit 1) c on true
where p.id in (select substr(e, 9) from unnest($2::text[]) e where e like 'program:%');

-- nameApprovals
select 'agent:' || id as id, name
from agents
where id in (select substr(p, 7) from unnest($1::text[]) p where p like 'agent:%')
union all select 'connection:' || id, client_name
from connections
where id in (select substr(p, 12) from unnest($2::text[]) p where p like 'connection:%')
union all select id, name
from agents
where id = any($3::text[])
union all select id, title
from services
where id = any($4::text[])
union all select order_id, title
from bounties
where order_id = any($5::text[])
union all select id, service_title
from orders
where id = any($6::text[]);
