-- why: agents that a program registered pause at a restore until the program is connected again, and links undone earlier leave two owners who disagree

-- What comes back by itself when the person connects the program again.
create table paused_agents (
  agent_id text primary key references agents (id) on delete cascade,
  active boolean not null,
  -- Null: it had none, or the person set it and it stays.
  endpoint_url text,
  paused_at timestamptz not null default market_now()
);

-- Links that were undone before: the wallet decides, unless it signed for the agent since.
with parted as (
  update agents a set owner_conflict = true
  from undone_links u
  where u.user_id = a.owner_user_id and u.address = a.owner_wallet and not a.owner_conflict
    and not exists (select 1 from user_wallets w where w.user_id = u.user_id and w.address = u.address)
    and not exists (select 1 from events e where e.type = 'agent.linked' and e.subject_id = a.id and e.created_at > u.undone_at)
  returning a.id, a.name, a.owner_wallet, a.owner_user_id),
written as (
  insert into events (type, subject_id, data, context)
  select 'agent.owner_conflict', id, jsonb_build_object('agent_id', id, 'wallet', owner_wallet, 'user_id', owner_user_id),
         jsonb_build_object('agent_name', name, 'owner_wallet', owner_wallet, 'owner_user_id', owner_user_id)
  from parted returning id)
insert into event_queue (follower, event_id) select 'notifications', id from written;
