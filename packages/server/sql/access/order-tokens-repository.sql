-- Generated from packages/server/src/access/order-tokens-repository.ts by `npm run generate`. Do not edit.

-- endOrderTokens
update "order_tokens"
set "ended_at" = market_now()
where "order_id" = $1 and "ended_at" is null and "holder" = $2;

-- endTokensOfConnection
update "order_tokens"
set "ended_at" = market_now()
where "connection_id" = $1 and "ended_at" is null;

-- endTokensOfConnections
update "order_tokens"
set "ended_at" = market_now()
where "connection_id" is not null and "ended_at" is null;

-- findOrderByToken
select t.order_id as "orderId"
  , t.reads_only as "readsOnly"
  , t.ended_at is not null
  or exists (select 1 from connections c where c.id = t.connection_id and c.revoked_at is not null)
  or market_now() >= least( t.expires_at, coalesce(o.completed_at, o.cancelled_at) + make_interval(days => 30)) as "hasEnded"
from order_tokens t
join orders o on o.id = t.order_id
where t.token_hash in ($1);

-- insertOrderTokens
insert into "order_tokens" ("expires_at", "connection_id")
values (least($1, (select expires_at from connections where id = $2)), $3);

-- listLiveTokens
select t.token_hash as "tokenHash"
from order_tokens t
join orders o on o.id = t.order_id
where t.order_id = $1
  and not (t.ended_at is not null or exists (select 1 from connections c where c.id = t.connection_id and c.revoked_at is not null) or market_now() >= least( t.expires_at, coalesce(o.completed_at, o.cancelled_at) + make_interval(days => 30)));
