-- why: owners register agents in an ERC-8004 Identity Registry; what is registered is stored before anything is signed

-- A registration is a movement of the agent's wallet: same states, same attempts, same log.
alter table wallet_movements
  drop constraint wallet_movements_purpose_check,
  add constraint wallet_movements_purpose_check check (
    purpose in ('send', 'withdraw', 'token_launch', 'said_identity', 'agent_registration'));
alter table wallet_log
  drop constraint wallet_log_action_check,
  add constraint wallet_log_action_check check (
    action in ('send', 'withdraw', 'token_launch', 'said_identity', 'agent_registration', 'withdraw_address_requested',
      'withdraw_address_changed', 'key_exported')),
  drop constraint wallet_log_movements,
  add constraint wallet_log_movements check (
    (movement_id is not null) = (action in ('send', 'withdraw', 'token_launch', 'said_identity', 'agent_registration')));

create table agent_registrations (
  movement_id text primary key references wallet_movements (id),
  agent_id text not null references agents (id),
  state text not null default 'open' check (state in ('open', 'made', 'failed')),
  -- CAIP-10: eip155:<chain id>:<contract>
  registry text not null,
  uri text not null,
  -- The id that the registry gave, read from the event of the transaction. A uint256 in decimal digits.
  onchain_id text check (onchain_id ~ '^[0-9]{1,78}$'),
  created_at timestamptz not null default market_now(),
  ended_at timestamptz,
  constraint agent_registrations_known check ((state = 'made') = (onchain_id is not null)),
  constraint agent_registrations_ended check ((state = 'open') = (ended_at is null)),
  unique (registry, onchain_id)
);
-- An agent is registered once; a failed try may be repeated.
create unique index agent_registrations_one on agent_registrations (agent_id) where state in ('open', 'made');
create index agent_registrations_of_agent on agent_registrations (agent_id, created_at);

-- On the agent's own row, because its public registration file shows both.
alter table agents
  add column erc8004_registry text,
  add column erc8004_agent_id text,
  add constraint agents_whole_erc8004 check ((erc8004_registry is null) = (erc8004_agent_id is null)),
  add constraint agents_erc8004_once unique (erc8004_registry, erc8004_agent_id);
