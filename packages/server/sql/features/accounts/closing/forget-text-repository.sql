-- Generated from packages/server/src/features/accounts/closing/forget-text-repository.ts by `npm run generate`. Do not edit.

-- forgetText
create temporary table closing_events on commit drop as select e.id
from events e
where e.agent_id = any($1)
union select e.id
from events e
where e.subject_id in (select $2::text union all select unnest($3::text[]) union all select o.id from orders o where o.user_id = $4 or o.client_agent_id = any($5) or (o.client_wallet = $6 and o.user_id is null and o.client_agent_id is null and ("o"."kind" <> 'machine' or "o"."payment_network" is null or "o"."client_wallet" is null or not "o"."client_wallet" = any($7::text[]) or ("o"."client_wallet" || ' ' || "o"."payment_network") = any($8::text[]))) union all select o.id from orders o where o.provider_agent_id = any($9) union all select b.id from bounties b where b.user_id = $10 or (b.client_wallet = $11 and b.user_id is null) union all select c.id from connections c where c.person = any($12) union all select m.id from delayed_moves m where m.owner = any($13) or m.agent_id = any($14) union all select a.id from spend_approvals a where a.principal = any($15) union all select s.id from saved_searches s where s.owner = any($16));
create temporary table closing_words on commit drop as select distinct word
from closing_events c
join events e on e.id = c.id
cross
join lateral jsonb_each_text(e.data) said(key, value)
cross
join lateral unnest(tsvector_to_array(to_tsvector('simple', spaced_words(said.value)))) word
where e.type in ('service.created', 'service.updated', 'agent.registered', 'agent.updated')
  and said.key in ('title', 'name');
create temporary table closing_matches on commit drop as select e.id
from events e
where e.type = 'saved_search.matched'
  and exists ( select 1 from jsonb_array_elements_text(e.data->'titles') said(title) join ( select s.title from services s where s.agent_id = any($1) union select b.title from bounties b where b.id in (select b.id from bounties b where b.user_id = $2 or (b.client_wallet = $3 and b.user_id is null)) union select e.data->>'title' from closing_events c join events e on e.id = c.id where e.data ? 'title') own using (title));
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
update events e
set data = without_person("data", case when e.type = 'order.dispute_ruled' then array_remove($1::text[], 'reason') else $2::text[] end, '{}')
  , context = without_person("context", case when e.type = 'order.dispute_ruled' then array_remove($3::text[], 'reason') else $4::text[] end, '{}')
from closing_events c
where c.id = e.id;
update events e
set data = without_person(data, '{service_title}', '{}'), context = without_person(context, '{service_title}', '{}')
from orders o
where o.id = e.subject_id
  and o.kind = 'bounty'
  and o.id in (select o.id from orders o where o.user_id = $1 or o.client_agent_id = any($2) or (o.client_wallet = $3 and o.user_id is null and o.client_agent_id is null and ("o"."kind" <> 'machine' or "o"."payment_network" is null or "o"."client_wallet" is null or not "o"."client_wallet" = any($4::text[]) or ("o"."client_wallet" || ' ' || "o"."payment_network") = any($5::text[]))));
update webhook_deliveries d
set body = without_person(d.body::jsonb, $1::text[], '{}')::text
from closing_events c
where c.id = d.event_id;
update x402_payments p
set request = without_person(p.request, $1::text[], '{}')
where p.subject_id in (select o.id from orders o where o.user_id = $2 or o.client_agent_id = any($3) or (o.client_wallet = $4 and o.user_id is null and o.client_agent_id is null and ("o"."kind" <> 'machine' or "o"."payment_network" is null or "o"."client_wallet" is null or not "o"."client_wallet" = any($5::text[]) or ("o"."client_wallet" || ' ' || "o"."payment_network") = any($6::text[]))));
update x402_payments p
set request = '{}'
where p.purpose = 'registration' and p.subject_id = any($1);
select name
from agents
where id = $1;
update orders
set brief = $1
  , reference_urls = '{}'
  , reference_images = '{}'
  , requirement_answers = null
  , service_title = case
  when kind = 'bounty' then 'A bounty of a closed account' else service_title end
where id in (select o.id from orders o where o.user_id = $2 or o.client_agent_id = any($3) or (o.client_wallet = $4 and o.user_id is null and o.client_agent_id is null and ("o"."kind" <> 'machine' or "o"."payment_network" is null or "o"."client_wallet" is null or not "o"."client_wallet" = any($5::text[]) or ("o"."client_wallet" || ' ' || "o"."payment_network") = any($6::text[]))));
update deliverables
set prompt = $1
where prompt <> ''
  and order_id in (select o.id from orders o where o.user_id = $2 or o.client_agent_id = any($3) or (o.client_wallet = $4 and o.user_id is null and o.client_agent_id is null and ("o"."kind" <> 'machine' or "o"."payment_network" is null or "o"."client_wallet" is null or not "o"."client_wallet" = any($5::text[]) or ("o"."client_wallet" || ' ' || "o"."payment_network") = any($6::text[]))));
update order_messages
set content = $1
  , sender_name = 'A closed account'
  , sender_id = case
  when sender_id = sender_name then 'A closed account' else sender_id end
where sender_type = 'client'
  and order_id in (select o.id from orders o where o.user_id = $2 or o.client_agent_id = any($3) or (o.client_wallet = $4 and o.user_id is null and o.client_agent_id is null and ("o"."kind" <> 'machine' or "o"."payment_network" is null or "o"."client_wallet" is null or not "o"."client_wallet" = any($5::text[]) or ("o"."client_wallet" || ' ' || "o"."payment_network") = any($6::text[]))));
update order_steps
set note = $1
where actor_role = 'buyer'
  and note is not null
  and order_id in (select o.id from orders o where o.user_id = $2 or o.client_agent_id = any($3) or (o.client_wallet = $4 and o.user_id is null and o.client_agent_id is null and ("o"."kind" <> 'machine' or "o"."payment_network" is null or "o"."client_wallet" is null or not "o"."client_wallet" = any($5::text[]) or ("o"."client_wallet" || ' ' || "o"."payment_network") = any($6::text[]))));
update reviews
set comment = null, reviewer_name = 'A closed account', reviewer_id = 'A closed account'
where order_id in (select o.id from orders o where o.user_id = $1 or o.client_agent_id = any($2) or (o.client_wallet = $3 and o.user_id is null and o.client_agent_id is null and ("o"."kind" <> 'machine' or "o"."payment_network" is null or "o"."client_wallet" is null or not "o"."client_wallet" = any($4::text[]) or ("o"."client_wallet" || ' ' || "o"."payment_network") = any($5::text[]))));
update disputes
set reason = $1
where opened_by = 'buyer'
  and order_id in (select o.id from orders o where o.user_id = $2 or o.client_agent_id = any($3) or (o.client_wallet = $4 and o.user_id is null and o.client_agent_id is null and ("o"."kind" <> 'machine' or "o"."payment_network" is null or "o"."client_wallet" is null or not "o"."client_wallet" = any($5::text[]) or ("o"."client_wallet" || ' ' || "o"."payment_network") = any($6::text[]))));
update dispute_statements s
set statement = $1, evidence_urls = '{}'
from disputes d
where d.id = s.dispute_id
  and s.side = $2
  and d.order_id in (select o.id from orders o where o.user_id = $3 or o.client_agent_id = any($4) or (o.client_wallet = $5 and o.user_id is null and o.client_agent_id is null and ("o"."kind" <> 'machine' or "o"."payment_network" is null or "o"."client_wallet" is null or not "o"."client_wallet" = any($6::text[]) or ("o"."client_wallet" || ' ' || "o"."payment_network") = any($7::text[]))));
update onchain_feedback
set file = ''
where order_id in (select o.id from orders o where o.user_id = $1 or o.client_agent_id = any($2) or (o.client_wallet = $3 and o.user_id is null and o.client_agent_id is null and ("o"."kind" <> 'machine' or "o"."payment_network" is null or "o"."client_wallet" is null or not "o"."client_wallet" = any($4::text[]) or ("o"."client_wallet" || ' ' || "o"."payment_network") = any($5::text[]))));
update order_tokens
set ended_at = market_now()
where ended_at is null
  and order_id in (select o.id from orders o where o.user_id = $1 or o.client_agent_id = any($2) or (o.client_wallet = $3 and o.user_id is null and o.client_agent_id is null and ("o"."kind" <> 'machine' or "o"."payment_network" is null or "o"."client_wallet" is null or not "o"."client_wallet" = any($4::text[]) or ("o"."client_wallet" || ' ' || "o"."payment_network") = any($5::text[]))));
delete from upload_attachments a using uploads u
where u.id = a.upload_id
  and u.purpose = 'brief_image'
  and a.subject_id in (select o.id from orders o where o.user_id = $1 or o.client_agent_id = any($2) or (o.client_wallet = $3 and o.user_id is null and o.client_agent_id is null and ("o"."kind" <> 'machine' or "o"."payment_network" is null or "o"."client_wallet" is null or not "o"."client_wallet" = any($4::text[]) or ("o"."client_wallet" || ' ' || "o"."payment_network") = any($5::text[]))));
update order_messages
set content = $1, sender_name = 'Closed agent'
where sender_type = 'agent' and order_id in (select o.id from orders o where o.provider_agent_id = any($2));
update order_steps
set note = $1
where actor_role = 'provider'
  and note is not null
  and order_id in (select o.id from orders o where o.provider_agent_id = any($2));
update dispute_statements s
set statement = $1, evidence_urls = '{}'
from disputes d
where d.id = s.dispute_id
  and s.side = $2
  and d.order_id in (select o.id from orders o where o.provider_agent_id = any($3));
delete from upload_attachments
where subject_id in (select b.id from bounties b where b.user_id = $1 or (b.client_wallet = $2 and b.user_id is null));
update bounties
set title = 'A bounty of a closed account', brief = $1, reference_urls = '{}', reference_images = '{}'
where id in (select b.id from bounties b where b.user_id = $2 or (b.client_wallet = $3 and b.user_id is null));
update bounty_claims
set message = null
where agent_id = any($1);
delete from notifications
where (user_id = $1 and wallet is null) or (wallet = $2 and user_id is null) or agent_id = any($3);
update notifications
set user_id = null
where user_id = $1;
update notifications
set wallet = null
where wallet = $1;
update notifications
set title = 'About an order with a closed account', body = $1
where order_id in (select o.id from orders o where o.user_id = $2 or o.client_agent_id = any($3) or (o.client_wallet = $4 and o.user_id is null and o.client_agent_id is null and ("o"."kind" <> 'machine' or "o"."payment_network" is null or "o"."client_wallet" is null or not "o"."client_wallet" = any($5::text[]) or ("o"."client_wallet" || ' ' || "o"."payment_network") = any($6::text[]))))
  or order_id in (select o.id from orders o where o.provider_agent_id = any($7));
update notifications n
set title = 'About a closed account', body = $1
from closing_events c
where c.id = n.event_id and n.order_id is null;
delete from saved_searches
where owner = any($1);
update spendings
set about = null, sentence = $1
where principal = any($2) or principal in (select 'connection:' || c.id from connections c where c.person = any($3));
update spend_approvals
set about = null, sentence = $1
where principal = any($2) or principal in (select 'connection:' || c.id from connections c where c.person = any($3));
update spend_budgets
set label = null, closed_at = coalesce(closed_at, market_now())
where owner = any($1);
update delayed_moves
set summary = 'A move of a closed account.'
where owner = any($1) or agent_id = any($2);
delete from idempotency_keys
where scope like any($1) and sealed_answer is not null;
delete from sessions
where wallet = $1;
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
