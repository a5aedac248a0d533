-- why: moves that only an account vouches for wait a day, announced and cancellable: sends, key exports, withdraw addresses, Earn withdrawals.

create table delayed_moves (
  id text primary key,
  kind text not null check (kind in ('wallet_send', 'key_export', 'withdraw_address', 'earn_withdrawal')),
  -- The account that asked, as `user:…`. It must still own the agent when the move runs.
  owner text not null check (owner like 'user:%'),
  agent_id text references agents (id),
  -- At most one open move of a kind and agent has the same topic, for example the kind of wallet.
  topic text,
  summary text not null,
  payload jsonb not null,
  -- The principal of the call.
  requested_by text not null,
  state text not null default 'waiting' check (state in ('waiting', 'ready', 'done', 'cancelled', 'failed')),
  reason text,
  -- What came of it: a movement or a withdrawal.
  result_id text,
  effective_at timestamptz not null,
  -- Of a key export that is ready: how long the key can be fetched.
  ready_until timestamptz,
  -- The database in which it was asked. A restored one may lack that it ran already.
  place text not null default database_place(),
  created_at timestamptz not null default market_now(),
  ended_at timestamptz,
  constraint delayed_moves_ended check ((state in ('done', 'cancelled', 'failed')) = (ended_at is not null)),
  constraint delayed_moves_of_agents check (kind = 'earn_withdrawal' or agent_id is not null),
  constraint delayed_moves_fetched check (ready_until is null or kind = 'key_export')
);
create index delayed_moves_of_owner on delayed_moves (owner, created_at desc);
create index delayed_moves_of_agent on delayed_moves (agent_id, created_at desc) where agent_id is not null;
create index delayed_moves_open on delayed_moves (effective_at) where state in ('waiting', 'ready');
create unique index delayed_moves_one_per_topic on delayed_moves (agent_id, kind, topic) where topic is not null and state in ('waiting', 'ready');
create unique index delayed_moves_one_result on delayed_moves (result_id) where result_id is not null;

-- Changed withdraw addresses wait in the same table from now on. Those of agents that a wallet owns needed that wallet: they end here.
update withdraw_addresses set address = next_address where next_at <= market_now();
insert into delayed_moves (id, kind, owner, agent_id, topic, summary, payload, requested_by, effective_at)
select 'dmov_' || (extract(epoch from market_now()) * 1000)::bigint || '_' || substr(md5(w.agent_id || w.kind), 1, 9),
  'withdraw_address', 'user:' || a.owner_user_id, w.agent_id, w.kind,
  'Let “' || a.name || '” withdraw to ' || w.next_address || '.',
  jsonb_build_object('wallet_kind', w.kind, 'address', w.next_address), 'user:' || a.owner_user_id, w.next_at
from withdraw_addresses w join agents a on a.id = w.agent_id
where w.next_at > market_now() and a.owner_wallet is null and a.owner_user_id is not null;
insert into jobs (queue, kind, payload, unique_key, run_at)
select 'moves', 'move.run', jsonb_build_object('move_id', id), 'move.run:' || id, effective_at from delayed_moves;
-- Their owners learn that the change ended, and who may make it again.
create temporary table ended_changes on commit drop as
select row_number() over (order by w.agent_id, w.kind) as number, a.id as agent_id, a.name, a.slug, a.owner_wallet, a.owner_user_id, w.kind, w.next_address
from withdraw_addresses w join agents a on a.id = w.agent_id where w.next_at > market_now() and a.owner_wallet is not null;
with told as (
  insert into events (type, subject_id, data, context)
  select 'agent.withdraw_change_ended', agent_id, jsonb_build_object('agent_id', agent_id, 'wallet_kind', kind, 'address', next_address),
         jsonb_build_object('agent_name', name, 'owner_wallet', owner_wallet, 'owner_user_id', owner_user_id)
  from ended_changes order by number
  returning id, subject_id, data ->> 'wallet_kind' as kind
)
insert into notifications (id, event_id, user_id, wallet, type, title, body, link)
select 'notif_' || (extract(epoch from market_now()) * 1000)::bigint || '_w' || lpad(c.number::text, 8, '0'), t.id, c.owner_user_id, c.owner_wallet,
       'withdraw_change_ended', 'Set the withdraw address again',
       '“' || c.name || '” was to withdraw to ' || c.next_address || '. That change ended: from now on the wallet that owns the agent signs it. '
         || 'If it was yours, set the address again with ' || c.owner_wallet || '.',
       '/sell/wallet?agent=' || c.slug
from told t join ended_changes c on c.agent_id = t.subject_id and c.kind = t.kind;
alter table withdraw_addresses drop constraint withdraw_addresses_dated, drop column next_address, drop column next_at;
