-- Generated from packages/server/src/features/accounts/connections/repository.ts by `npm run generate`. Do not edit.

-- adoptAgent
update connections
set agent_id = coalesce(agent_id, $1)
where id = $2 and revoked_at is null and expires_at > clock_timestamp();

-- countLive
select count(*)::int as "count"
from "connections"
where "person" = $1 and "revoked_at" is null and connections.expires_at > clock_timestamp();

-- endAllTokens
update "connections"
set "tokens_ended_at" = market_now()
where "revoked_at" is null and "tokens_ended_at" is null and connections.expires_at > clock_timestamp();

-- findConnection
select "connections".*
  , "agents"."name" as "agent_name"
  , ( select coalesce(json_agg(json_build_object('id', made.id, 'name', made.name) order by made.name), '[]') from agents made where made.stops_with = connections.id and ( made.active or exists (select 1 from paused_agents p where p.agent_id = made.id and p.active))) as "made_agents"
from "connections"
left
join "agents" on "agents"."id" = "connections"."agent_id"
where "connections"."revoked_at" is null
  and connections.expires_at > clock_timestamp()
  and "connections"."id" = $1
  and "connections"."person" in ($2);

-- findLive
select c.*
  , (select to_json(a) from ( select id, name, active, owner_wallet, owner_user_id, owner_proven from agents where agents.id = c.agent_id) a) as agent
  , (select to_json(u) from ( select email, google_email, twitter_username, display_name from users where users.id = substr(c.person, 6)) u) as account
  , (select coalesce(json_agg(json_build_object('address', address, 'proven_on', proven_on)), '[]') from user_wallets w where w.user_id = substr(c.person, 6)) as links
  , coalesce(c.last_used_at > market_now() - make_interval(secs => $1), false) as "isNoted"
from connections c
where c.id = $2 and c.revoked_at is null and c.tokens_ended_at is null and c.expires_at > clock_timestamp();

-- forgetEnded
delete from connections
where revoked_at is not null and expires_at < clock_timestamp() - make_interval(days => $1);

-- insertConnection
insert into "connections" ("id", "person", "wallet_chain", "proven_on", "client_id", "client_name", "client_uri", "redirect_host", "scopes", "agent_id", "created_at", "last_used_at", "revoked_at", "expires_at", "program_id", "tokens_ended_at")
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16);

-- listConnections
select "connections".*
  , "agents"."name" as "agent_name"
  , ( select coalesce(json_agg(json_build_object('id', made.id, 'name', made.name) order by made.name), '[]') from agents made where made.stops_with = connections.id and ( made.active or exists (select 1 from paused_agents p where p.agent_id = made.id and p.active))) as "made_agents"
from "connections"
left
join "agents" on "agents"."id" = "connections"."agent_id"
where "connections"."revoked_at" is null
  and connections.expires_at > clock_timestamp()
  and "connections"."person" in ($1)
order by "connections"."created_at" desc, "connections"."id" desc;

-- listConnectionsOf
select "connections".*
  , "agents"."name" as "agent_name"
  , ( select coalesce(json_agg(json_build_object('id', made.id, 'name', made.name) order by made.name), '[]') from agents made where made.stops_with = connections.id and ( made.active or exists (select 1 from paused_agents p where p.agent_id = made.id and p.active))) as "made_agents"
from "connections"
left
join "agents" on "agents"."id" = "connections"."agent_id"
where "connections"."revoked_at" is null
  and connections.expires_at > clock_timestamp()
  and "connections"."person" = $1
  and "connections"."client_id" = $2
order by "connections"."created_at" desc, "connections"."id" desc;

-- listExpired
select id
from connections
where revoked_at is null and expires_at <= clock_timestamp()
order by expires_at
limit $1;

-- lockConnection
select *
from "connections"
where "id" = $1 and "person" in ($2) and "revoked_at" is null and connections.expires_at > clock_timestamp() for update;

-- markRevoked
update "connections"
set "revoked_at" = market_now()
where "id" = $1 and "revoked_at" is null
returning *;

-- noteUse
update connections
set last_used_at = market_now()
where id = $1 and (last_used_at is null or last_used_at < market_now() - make_interval(secs => $2));

-- requireProgram
insert into "connected_programs" ("id", "person", "client_id", "created_at")
values ($1, $2, $3, $4)
on conflict ("person", "client_id") do nothing;
select "id"
from "connected_programs"
where "person" = $1 and "client_id" = $2;

-- updateConnection
update "connections"
set
where "id" = $1;

-- wasConnected
select "id"
from "connected_programs"
where "client_id" = $1
limit $2;
