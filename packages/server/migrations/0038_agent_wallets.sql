-- why: agents move their own money: where they may withdraw to, an intent for every movement, and a log that the owner reads

-- The agent's key withdraws to these addresses only. A changed one waits in `next_address` until `next_at`.
create table withdraw_addresses (
  agent_id text not null references agents (id),
  kind text not null check (kind in ('solana', 'evm')),
  address text,
  next_address text,
  next_at timestamptz,
  updated_at timestamptz not null default market_now(),
  primary key (agent_id, kind),
  constraint withdraw_addresses_dated check ((next_address is null) = (next_at is null))
);

-- What leaves a wallet of an agent. States as of payouts; `failed` is the end of a movement that never left.
create table wallet_movements (
  id text primary key,
  agent_id text not null references agents (id),
  purpose text not null check (purpose in ('send', 'withdraw')),
  network text not null,
  -- The address of the agent's wallet that pays.
  wallet text not null,
  destination text not null,
  asset text not null check (asset in ('usdc', 'native')),
  -- In the smallest units of the asset: micro-USDC, lamports, wei.
  amount bigint not null check (amount > 0),
  state text not null default 'queued' check (state in ('queued', 'signed', 'sent', 'unknown', 'confirmed', 'failed')),
  reason text,
  reference text,
  -- Network fee and rent that the marketplace paid for it, in lamports or wei. Null: not known yet, or the wallet paid itself.
  fronted_native bigint check (fronted_native >= 0),
  created_at timestamptz not null default market_now(),
  updated_at timestamptz not null default market_now(),
  constraint wallet_movements_elsewhere check (destination <> wallet),
  constraint wallet_movements_referenced check ((state = 'confirmed') = (reference is not null))
);
create index wallet_movements_open on wallet_movements (updated_at) where state in ('queued', 'signed', 'sent', 'unknown');
create index wallet_movements_of_agent on wallet_movements (agent_id, created_at);

create table wallet_attempts (
  movement_id text not null references wallet_movements (id),
  number integer not null check (number > 0),
  reference text not null,
  signed_bytes text not null,
  validity text not null,
  state text not null default 'signed' check (state in ('signed', 'sent', 'unknown', 'confirmed', 'expired', 'failed', 'replaced')),
  rent_lamports bigint not null default 0 check (rent_lamports >= 0),
  created_at timestamptz not null default market_now(),
  primary key (movement_id, number),
  unique (reference)
);
create unique index wallet_attempts_one_confirmed on wallet_attempts (movement_id) where state = 'confirmed';
-- A new attempt is signed only after the one before can no longer land.
create unique index wallet_attempts_one_open on wallet_attempts (movement_id) where state in ('signed', 'sent', 'unknown');
create index wallet_attempts_recent on wallet_attempts (created_at);

-- Everything done with the wallets of an agent, for its owner. Rows are only added.
create table wallet_log (
  id bigint generated always as identity primary key,
  agent_id text not null references agents (id),
  at timestamptz not null default market_now(),
  action text not null check (action in ('send', 'withdraw', 'withdraw_address_requested', 'withdraw_address_changed', 'key_exported')),
  ordered_by text not null check (ordered_by in ('owner_account', 'owner_wallet', 'agent_key')),
  network text,
  address text,
  effective_at timestamptz,
  movement_id text references wallet_movements (id),
  constraint wallet_log_movements check ((movement_id is not null) = (action in ('send', 'withdraw')))
);
create index wallet_log_of_agent on wallet_log (agent_id, id desc);
create unique index wallet_log_one_per_movement on wallet_log (movement_id) where movement_id is not null;
create function refuse_wallet_log_change() returns trigger language plpgsql as
$$ begin raise exception 'the custody log is append-only'; end $$;
create trigger wallet_log_append_only before update or delete on wallet_log for each row execute function refuse_wallet_log_change();
