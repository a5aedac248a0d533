-- Generated from packages/server/src/access/presence-repository.ts by `npm run generate`. Do not edit.

-- storeSeen
insert into agent_presence (agent_id, seen_at)
values ($1, market_now())
on conflict (agent_id) do update
set seen_at = greatest(agent_presence.seen_at, excluded.seen_at);
