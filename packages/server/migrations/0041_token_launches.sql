-- why: agents launch tokens and mint identities: what is to be made is stored with its key before anything is signed

-- A launch is a movement of the agent's wallet: same states, same attempts, same log. This says what it makes.
alter table wallet_movements
  drop constraint wallet_movements_purpose_check,
  add constraint wallet_movements_purpose_check check (purpose in ('send', 'withdraw', 'token_launch', 'said_identity'));
alter table wallet_log
  drop constraint wallet_log_action_check,
  add constraint wallet_log_action_check check (
    action in ('send', 'withdraw', 'token_launch', 'said_identity', 'withdraw_address_requested', 'withdraw_address_changed', 'key_exported')),
  drop constraint wallet_log_movements,
  add constraint wallet_log_movements check (
    (movement_id is not null) = (action in ('send', 'withdraw', 'token_launch', 'said_identity')));

create table agent_mints (
  movement_id text primary key references wallet_movements (id),
  agent_id text not null references agents (id),
  kind text not null check (kind in ('token_launch', 'said_identity')),
  state text not null default 'open' check (state in ('open', 'made', 'failed')),
  mint text not null unique,
  -- The key of the mint signs its making. Every attempt uses this one, so that one mint comes into being at most.
  sealed_key text not null,
  name text not null,
  symbol text not null,
  uri text not null,
  description text not null,
  image_url text,
  created_at timestamptz not null default market_now()
);
create unique index agent_mints_one_open on agent_mints (agent_id, kind) where state = 'open';
create index agent_mints_of_agent on agent_mints (agent_id);

alter table agents
  add column said_pda text unique,
  add column said_tx_hash text,
  add constraint agents_whole_said check (num_nulls(said_wallet, said_pda, said_tx_hash) in (0, 3));
