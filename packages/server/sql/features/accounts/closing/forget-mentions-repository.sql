-- Generated from packages/server/src/features/accounts/closing/forget-mentions-repository.ts by `npm run generate`. Do not edit.

-- forgetMatches
create temporary table closing_matches on commit drop as select e.id
from events e
where e.type = 'saved_search.matched'
  and exists ( select 1 from jsonb_array_elements_text(e.data->'titles') said(title) join ( select s.title from services s where s.agent_id = any($1) union select b.title from bounties b where b.id in ($2) union select e.data->>'title' from closing_events c join events e on e.id = c.id where e.data ? 'title') own using (title));
update events e
set data = e.data || '{"titles": []}'
from closing_matches m
where m.id = e.id;
update webhook_deliveries d
set body = replace(d.body, (d.body::jsonb->'data'->'titles')::text, '[]')
from closing_matches m
where m.id = d.event_id;
update notifications n
set body = $1
from closing_matches m
where m.id = n.event_id;

-- forgetMentions
select name
from agents
where id = $1;
update events e
set data = without_name(e.data, $1::text[], to_jsonb($2::text), to_jsonb($3::text))
  , context = without_name(e.context, $4::text[], to_jsonb($5::text), to_jsonb($6::text))
where e.id in (select r.event_id from event_readers r where r.reader = $7);
update webhook_deliveries d
set body = without_name(d.body::jsonb, $1::text[], to_jsonb($2::text), to_jsonb($3::text))::text
where d.event_id in (select r.event_id from event_readers r where r.reader = $4) and strpos(d.body, $5) > 0;
update notifications n
set title = regexp_replace(n.title, $1, $2, 'g'), body = regexp_replace(n.body, $3, $4, 'g')
where n.event_id in (select r.event_id from event_readers r where r.reader = $5);

-- noteFormerWords
create temporary table closing_words on commit drop as select distinct word
from closing_events c
join events e on e.id = c.id
cross
join lateral jsonb_each_text(e.data) said(key, value)
cross
join lateral unnest(tsvector_to_array(to_tsvector('simple', spaced_words(said.value)))) word
where e.type in ('service.created', 'service.updated', 'agent.registered', 'agent.updated')
  and said.key in ('title', 'name');
