-- Generated from packages/server/src/features/notifications/repository.ts by `npm run generate`. Do not edit.

-- countUnread
select count(*)::int as "count"
from "notifications"
where (user_id = $1 or (wallet = any($2) and (order_id is null or exists (select 1 from orders o where o.id = order_id and ("o"."kind" <> 'machine' or "o"."payment_network" is null or "o"."client_wallet" is null or not "o"."client_wallet" = any($3::text[]) or ("o"."client_wallet" || ' ' || "o"."payment_network") = any($4::text[]))))) or agent_id = $5)
  and "read_at" is null;

-- deleteReadBefore
delete from notifications
where read_at < market_now() - make_interval(days => $1);

-- findNotifiedOrders
select o.id
  , o.service_title as title
  , p.name as "providerName"
  , o.price_micros as "priceMicros"
  , o.payment_network as network
  , o.review_deadline as "reviewDeadline"
  , o.revision_deadline as "revisionDeadline"
  , s.agent_micros as "agentMicros"
  , s.refund_micros as "refundMicros"
  , o.settlement = 'instant'
  and s.order_id is not null as "paidAtHire"
  , o.client_agent_id as "clientAgentId"
  , coalesce(o.user_id, c.owner_user_id) as "clientUserId"
  , coalesce(o.client_wallet, c.owner_wallet) as "clientWallet"
  , o.provider_agent_id as "providerAgentId"
  , p.owner_user_id as "providerUserId"
  , p.owner_wallet as "providerWallet"
from orders o
join agents p on p.id = o.provider_agent_id
left
join agents c on c.id = o.client_agent_id
left
join settlements s on s.order_id = o.id
where o.id = any($1);

-- insertNotifications
insert into notifications as old (id, event_id, user_id, wallet, agent_id, type, title, body, order_id, link, created_at, collapsed, count, event_ids) select (array_agg(id order by "eventId" desc))[1]
  , max("eventId")
  , "userId"
  , wallet
  , "agentId"
  , type
  , (array_agg(title order by "eventId" desc))[1]
  , (array_agg(body order by "eventId" desc))[1]
  , (array_agg("orderId" order by "eventId" desc))[1]
  , (array_agg(link order by "eventId" desc))[1]
  , max("createdAt")
  , collapsed
  , count(*)
  , (array_agg("eventId"::text order by "eventId" desc))[:200]
from jsonb_to_recordset($1::jsonb) as n (id text, "eventId" bigint, "userId" text, wallet text, "agentId" text, type text, title text, body text, "orderId" text, link text, collapsed text, "createdAt" timestamptz)
where not exists (select 1 from notifications o where o.collapsed = n.collapsed and o.type = n.type and coalesce(o.user_id, '') = coalesce(n."userId", '') and coalesce(o.wallet, '') = coalesce(n.wallet, '') and coalesce(o.agent_id, '') = coalesce(n."agentId", '') and n."eventId"::text = any(o.event_ids))
group by "userId", wallet, "agentId", type, collapsed
on conflict (collapsed, type, coalesce(user_id, ''), coalesce(wallet, ''), coalesce(agent_id, ''))
where collapsed is not null and read_at is null do update
set id = excluded.id
  , count = old.count + excluded.count
  , event_id = greatest(old.event_id, excluded.event_id)
  , event_ids = (excluded.event_ids || old.event_ids)[:200]
  , title = case
  when excluded.event_id > old.event_id then excluded.title else old.title end
  , body = case
  when excluded.event_id > old.event_id then excluded.body else old.body end
  , order_id = case
  when excluded.event_id > old.event_id then excluded.order_id else old.order_id end
  , link = case
  when excluded.event_id > old.event_id then excluded.link else old.link end
  , created_at = case
  when excluded.event_id > old.event_id then excluded.created_at else old.created_at end;

-- listNotifications
select "id"
  , "event_id"
  , "user_id"
  , "wallet"
  , "agent_id"
  , "type"
  , "title"
  , "body"
  , "order_id"
  , "link"
  , "count"
  , "read_at"
  , "created_at"
from "notifications"
where (user_id = $1 or (wallet = any($2) and (order_id is null or exists (select 1 from orders o where o.id = order_id and ("o"."kind" <> 'machine' or "o"."payment_network" is null or "o"."client_wallet" is null or not "o"."client_wallet" = any($3::text[]) or ("o"."client_wallet" || ' ' || "o"."payment_network") = any($4::text[]))))) or agent_id = $5)
  and (concat_ws('', id, title, body, agent_id, order_id) ilike $6)
  and "read_at" is null
order by event_id desc, id desc
limit $7 offset $8;
select count(*)::int as "count"
from "notifications"
where (user_id = $1 or (wallet = any($2) and (order_id is null or exists (select 1 from orders o where o.id = order_id and ("o"."kind" <> 'machine' or "o"."payment_network" is null or "o"."client_wallet" is null or not "o"."client_wallet" = any($3::text[]) or ("o"."client_wallet" || ' ' || "o"."payment_network") = any($4::text[]))))) or agent_id = $5)
  and (concat_ws('', id, title, body, agent_id, order_id) ilike $6)
  and "read_at" is null;

-- markRead
update "notifications"
set "read_at" = market_now()
where (user_id = $1 or (wallet = any($2) and (order_id is null or exists (select 1 from orders o where o.id = order_id and ("o"."kind" <> 'machine' or "o"."payment_network" is null or "o"."client_wallet" is null or not "o"."client_wallet" = any($3::text[]) or ("o"."client_wallet" || ' ' || "o"."payment_network") = any($4::text[]))))) or agent_id = $5)
  and "read_at" is null
  and "id" in $6
  and "order_id" = $7
  and "count" = $8;
