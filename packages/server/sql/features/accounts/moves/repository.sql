-- Generated from packages/server/src/features/accounts/moves/repository.ts by `npm run generate`. Do not edit.

-- changeMove
update "delayed_moves"
set
where "id" = $1 and "state" in ($2);

-- countOpen
select count(*)::int as "count"
from "delayed_moves"
where "owner" = $1 and "state" in ($2, $3);

-- findMove
select *
from "delayed_moves"
where "id" = $1;

-- findShownMove
with watched as materialized (select watched.user_id, max(watched.until) as until from ( select $1::text as user_id, 'infinity'::timestamptz as until union all select l.user_id, 'infinity' from user_wallets l where l.address = any($2::text[]) union all select u.user_id, u.undone_at + make_interval(days => $3) from undone_links u where u.address = any($4::text[]) and u.by_account ) watched where watched.user_id is not null group by watched.user_id)
  , m as ( select d.id, d.kind, d.owner, d.agent_id, d.state, d.summary, d.payload, d.created_at, d.effective_at, d.ready_until, d.ended_at, d.reason, d.result_id from delayed_moves d where exists (select 1 from watched w where d.owner = 'user:' || w.user_id and w.until > d.created_at) or d.agent_id in (select a.id from agents a where a.owner_user_id = $5 or a.owner_wallet = any($6::text[])) union all select 'dmov_' || (extract(epoch from a.pending_payout_at) * 1000)::int8 || '_' || split_part(a.id, '_', 3), 'payout_change', coalesce('wallet:' || a.owner_wallet, 'user:' || a.owner_user_id), a.id, 'waiting', '', a.pending_payout, a.pending_payout_at - make_interval(secs => $7), a.pending_payout_at, null, null, null, null from agents a where a.id in ( select a.id from watched w join agents a on a.owner_user_id = w.user_id where a.pending_payout_at is not null and w.until > a.pending_payout_at - make_interval(secs => $8) union select a.id from agents a where a.owner_wallet = any($9::text[]) and a.pending_payout_at is not null)) select m.*
  , a.name as agent_name
from m
left
join agents a on a.id = m.agent_id
where m.id = $10;

-- insertMove
insert into "delayed_moves" ("payload", "reason", "result_id", "ready_until", "ended_at")
values ($1, $2, $3, $4, $5)
returning *;

-- isFromElsewhere
select place <> database_place() as elsewhere
from delayed_moves
where id = $1;

-- listDueMoves
select "id"
from "delayed_moves"
where "state" in ($1, $2) and "effective_at" <= market_now()
order by "effective_at"
limit $3;

-- listMoves
with watched as materialized (select watched.user_id, max(watched.until) as until from ( select $1::text as user_id, 'infinity'::timestamptz as until union all select l.user_id, 'infinity' from user_wallets l where l.address = any($2::text[]) union all select u.user_id, u.undone_at + make_interval(days => $3) from undone_links u where u.address = any($4::text[]) and u.by_account ) watched where watched.user_id is not null group by watched.user_id)
  , m as ( select d.id, d.kind, d.owner, d.agent_id, d.state, d.summary, d.payload, d.created_at, d.effective_at, d.ready_until, d.ended_at, d.reason, d.result_id from delayed_moves d where exists (select 1 from watched w where d.owner = 'user:' || w.user_id and w.until > d.created_at) or d.agent_id in (select a.id from agents a where a.owner_user_id = $5 or a.owner_wallet = any($6::text[])) union all select 'dmov_' || (extract(epoch from a.pending_payout_at) * 1000)::int8 || '_' || split_part(a.id, '_', 3), 'payout_change', coalesce('wallet:' || a.owner_wallet, 'user:' || a.owner_user_id), a.id, 'waiting', '', a.pending_payout, a.pending_payout_at - make_interval(secs => $7), a.pending_payout_at, null, null, null, null from agents a where a.id in ( select a.id from watched w join agents a on a.owner_user_id = w.user_id where a.pending_payout_at is not null and w.until > a.pending_payout_at - make_interval(secs => $8) union select a.id from agents a where a.owner_wallet = any($9::text[]) and a.pending_payout_at is not null)) select m.*
  , a.name as agent_name
from m
left
join agents a on a.id = m.agent_id
where true
  and (concat_ws('', m.id, m.summary, m.result_id, m.agent_id, (select a.name from agents a where a.id = m.agent_id)) ilike $10)
  and true
order by m.created_at desc, m.id desc
limit $11 offset $12;
with watched as materialized (select watched.user_id, max(watched.until) as until from ( select $1::text as user_id, 'infinity'::timestamptz as until union all select l.user_id, 'infinity' from user_wallets l where l.address = any($2::text[]) union all select u.user_id, u.undone_at + make_interval(days => $3) from undone_links u where u.address = any($4::text[]) and u.by_account ) watched where watched.user_id is not null group by watched.user_id)
  , m as ( select d.id, d.kind, d.owner, d.agent_id, d.state, d.summary, d.payload, d.created_at, d.effective_at, d.ready_until, d.ended_at, d.reason, d.result_id from delayed_moves d where exists (select 1 from watched w where d.owner = 'user:' || w.user_id and w.until > d.created_at) or d.agent_id in (select a.id from agents a where a.owner_user_id = $5 or a.owner_wallet = any($6::text[])) union all select 'dmov_' || (extract(epoch from a.pending_payout_at) * 1000)::int8 || '_' || split_part(a.id, '_', 3), 'payout_change', coalesce('wallet:' || a.owner_wallet, 'user:' || a.owner_user_id), a.id, 'waiting', '', a.pending_payout, a.pending_payout_at - make_interval(secs => $7), a.pending_payout_at, null, null, null, null from agents a where a.id in ( select a.id from watched w join agents a on a.owner_user_id = w.user_id where a.pending_payout_at is not null and w.until > a.pending_payout_at - make_interval(secs => $8) union select a.id from agents a where a.owner_wallet = any($9::text[]) and a.pending_payout_at is not null)) select count(*)::int as total
from m
where true
  and (concat_ws('', m.id, m.summary, m.result_id, m.agent_id, (select a.name from agents a where a.id = m.agent_id)) ilike $10);

-- listOpenMovesOf
select *
from "delayed_moves"
where "agent_id" = $1 and "kind" = $2 and "state" in ($3, $4);

-- lockMove
select *
from "delayed_moves"
where "id" = $1 for update;

-- lockOpenMove
select *
from "delayed_moves"
where "agent_id" = $1 and "kind" = $2 and "topic" = $3 and "state" in ($4, $5) for update;

-- lockOpenMoves
select *
from "delayed_moves"
where "state" in ($1, $2)
order by "id" for update;

-- lockOwner
select pg_advisory_xact_lock(hashtextextended($1, 0));
