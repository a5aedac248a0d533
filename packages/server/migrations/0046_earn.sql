-- why: Earn: idle USDC works in vaults; a book of shares and measured units per vault, deposits and withdrawals that end once, and their intents

-- As 0040: the list of kinds is widened. `earn_payable` is in it since 0030.
do $$
declare
  v_name text;
  v_check text;
begin
  select conname, regexp_replace(pg_get_constraintdef(oid), '^CHECK ', '') into strict v_name, v_check
  from pg_constraint where contypid = 'ledger_account_kind'::regtype;
  execute format('alter domain ledger_account_kind drop constraint %I', v_name);
  execute format('alter domain ledger_account_kind add constraint %I check (%s or value in (%L, %L))', v_name, v_check, 'earn_deposit', 'earn_payable');
end
$$;

alter table payment_claims drop constraint payment_claims_purpose_check;
alter table payment_claims add constraint payment_claims_purpose_check
  check (purpose in ('order', 'x402', 'registration', 'bounty', 'claim_stake', 'earn', 'earn_deposit', 'earn_return', 'wallet_funding', 'refund'));
alter table payouts drop constraint payouts_purpose_check;
alter table payouts add constraint payouts_purpose_check
  check (purpose in ('payout', 'refund', 'surplus', 'withdrawal', 'earn_refund', 'earn_withdrawal'));
alter table wallet_movements drop constraint wallet_movements_purpose_check;
alter table wallet_movements add constraint wallet_movements_purpose_check
  check (purpose in ('send', 'withdraw', 'token_launch', 'said_identity', 'agent_registration', 'earn_deposit'));
alter table wallet_log
  drop constraint wallet_log_action_check,
  add constraint wallet_log_action_check check (
    action in ('send', 'withdraw', 'token_launch', 'said_identity', 'agent_registration', 'earn_deposit', 'withdraw_address_requested',
      'withdraw_address_changed', 'key_exported')),
  drop constraint wallet_log_movements,
  add constraint wallet_log_movements check (
    (movement_id is not null) = (action in ('send', 'withdraw', 'token_launch', 'said_identity', 'agent_registration', 'earn_deposit')));

-- USDC of deposits that are not in a venue yet, and of withdrawals that are not paid yet.
alter table treasury_readings add column earn_micros bigint not null default 0;

-- One row per vault: the book. Units are counted as they were measured when they came and went, never from balances.
create table earn_vaults (
  key text primary key,
  venue text not null,
  market text not null,
  network text not null,
  strategy text not null check (strategy in ('lending', 'liquidity_provision')),
  venue_address text not null,
  total_shares numeric(39, 0) not null default 0 check (total_shares >= 0),
  -- Units of the venue that back the shares.
  total_units numeric(39, 0) not null default 0 check (total_units >= 0),
  -- Units left in withdrawals that wait.
  queued_units numeric(39, 0) not null default 0 check (queued_units >= 0),
  deposits_open boolean not null default true,
  -- The chain showed fewer units than the book; how many are missing.
  impaired_at timestamptz,
  units_missing numeric(39, 0) not null default 0 check (units_missing >= 0),
  version bigint not null default 0,
  created_at timestamptz not null default market_now(),
  constraint earn_vaults_whole check (total_shares > 0 or total_units = 0)
);

create table earn_positions (
  vault_key text not null references earn_vaults (key),
  owner_kind text not null check (owner_kind in ('agent', 'user', 'wallet')),
  owner_id text not null,
  shares numeric(39, 0) not null check (shares >= 0),
  -- What was paid in for the shares that are left.
  principal_micros bigint not null check (principal_micros >= 0),
  updated_at timestamptz not null default market_now(),
  primary key (vault_key, owner_kind, owner_id)
);
create index earn_positions_of_owner on earn_positions (owner_kind, owner_id);

create table earn_deposits (
  -- Made of the transfer, so that the same transfer is the same deposit.
  id text primary key,
  vault_key text not null references earn_vaults (key),
  owner_kind text not null check (owner_kind in ('agent', 'user', 'wallet')),
  owner_id text not null,
  network text not null,
  reference text not null,
  payer text not null,
  amount_micros bigint not null check (amount_micros > 0),
  slippage_bps integer not null check (slippage_bps between 1 and 1000),
  -- packages/contract/src/earn/lifecycle.ts has the steps.
  status text not null default 'received' check (status in ('received', 'deploying', 'deployed', 'refunding', 'refunded', 'held')),
  reason text,
  -- Measured by the router when the venue took it.
  units numeric(39, 0) check (units > 0),
  shares numeric(39, 0) check (shares > 0),
  deploy_reference text,
  refund_reference text,
  created_at timestamptz not null default market_now(),
  updated_at timestamptz not null default market_now(),
  settled_at timestamptz,
  unique (network, reference),
  constraint earn_deposits_minted check ((status = 'deployed') = (shares is not null) and num_nulls(units, shares, deploy_reference) in (0, 3)),
  constraint earn_deposits_ended check ((settled_at is not null) = (status in ('deployed', 'refunded')))
);
create index earn_deposits_of_owner on earn_deposits (owner_kind, owner_id, created_at desc, id desc);
create index earn_deposits_newest on earn_deposits (created_at desc, id desc);
create index earn_deposits_open on earn_deposits (updated_at) where status in ('received', 'deploying');
create index earn_deposits_held on earn_deposits (created_at) where status = 'held';

create table earn_withdrawals (
  id text primary key,
  -- Its place in the queue of the vault.
  queue_number bigint generated always as identity,
  vault_key text not null references earn_vaults (key),
  owner_kind text not null check (owner_kind in ('agent', 'user', 'wallet')),
  owner_id text not null,
  shares numeric(39, 0) not null check (shares > 0),
  -- Taken out of the pool when the shares burned, and what was spread over them since.
  units numeric(39, 0) not null check (units >= 0),
  units_spread numeric(39, 0) not null default 0,
  units_left numeric(39, 0) not null check (units_left >= 0),
  principal_micros bigint not null check (principal_micros >= 0),
  destination text not null,
  slippage_bps integer not null check (slippage_bps between 1 and 1000),
  status text not null default 'queued' check (status in ('queued', 'redeeming', 'paying', 'settled')),
  reason text,
  received_micros bigint not null default 0 check (received_micros >= 0),
  paid_micros bigint not null default 0 check (paid_micros between 0 and received_micros),
  created_at timestamptz not null default market_now(),
  updated_at timestamptz not null default market_now(),
  settled_at timestamptz,
  constraint earn_withdrawals_left check ((units_left > 0) = (status in ('queued', 'redeeming'))),
  constraint earn_withdrawals_ended check ((settled_at is not null) = (status = 'settled') and (status <> 'settled' or paid_micros = received_micros))
);
create index earn_withdrawals_queue on earn_withdrawals (vault_key, queue_number) where status in ('queued', 'redeeming');
create index earn_withdrawals_of_owner on earn_withdrawals (owner_kind, owner_id, created_at desc, id desc);
create index earn_withdrawals_newest on earn_withdrawals (created_at desc, id desc);

-- What the treasury asks of a venue through the router, each at most once. States as of payouts.
create table earn_intents (
  id text primary key,
  kind text not null check (kind in ('deposit', 'redeem', 'allow')),
  vault_key text not null references earn_vaults (key),
  -- The deposit or withdrawal; the vault of an allowance.
  subject_id text not null,
  network text not null,
  router text not null,
  venue text not null,
  assets bigint check (assets > 0),
  units numeric(39, 0) check (units > 0),
  -- The least that must come out, set when it is signed.
  min_out numeric(39, 0) check (min_out >= 0),
  state text not null default 'queued' check (state in ('queued', 'signed', 'sent', 'unknown', 'confirmed', 'failed')),
  reason text,
  reference text,
  result_assets bigint check (result_assets >= 0),
  result_units numeric(39, 0) check (result_units > 0),
  -- Where it was ordered (0043).
  place text not null default database_place(),
  created_at timestamptz not null default market_now(),
  updated_at timestamptz not null default market_now(),
  constraint earn_intents_moves check ((kind = 'deposit') = (assets is not null) and (kind = 'redeem') = (units is not null)),
  constraint earn_intents_ended check (
    (state = 'confirmed') = (reference is not null)
    and ((state = 'confirmed' and kind <> 'allow') = (result_assets is not null)) and (result_assets is null) = (result_units is null))
);
create unique index earn_intents_one_deposit on earn_intents (subject_id) where kind = 'deposit' and state <> 'failed';
-- The head of the queue first, and nobody beside it.
create unique index earn_intents_one_redeem on earn_intents (vault_key) where kind = 'redeem' and state in ('queued', 'signed', 'sent', 'unknown');
create unique index earn_intents_one_allow on earn_intents (vault_key) where kind = 'allow' and state in ('queued', 'signed', 'sent', 'unknown');
create index earn_intents_open on earn_intents (updated_at) where state in ('queued', 'signed', 'sent', 'unknown');
create index earn_intents_of_subject on earn_intents (subject_id);

-- A deposit that a lost database had sent. Found on chain, it belongs to the intent of the same name.
alter table unbooked_outflows add column intent_id text references earn_intents (id);

create table earn_attempts (
  intent_id text not null references earn_intents (id),
  number integer not null check (number > 0),
  reference text not null unique,
  signed_bytes text not null,
  validity text not null,
  state text not null default 'signed' check (state in ('signed', 'sent', 'unknown', 'confirmed', 'expired', 'failed', 'replaced')),
  created_at timestamptz not null default market_now(),
  primary key (intent_id, number)
);
create unique index earn_attempts_one_confirmed on earn_attempts (intent_id) where state = 'confirmed';
create unique index earn_attempts_one_open on earn_attempts (intent_id) where state in ('signed', 'sent', 'unknown');

-- What the venue paid for a withdrawal, at once or bit by bit.
create table earn_parts (
  id text primary key,
  withdrawal_id text not null references earn_withdrawals (id),
  number integer not null check (number > 0),
  units numeric(39, 0) not null check (units > 0),
  assets_micros bigint not null check (assets_micros >= 0),
  intent_id text not null unique references earn_intents (id),
  -- Null: the units were worth nothing.
  payout_id text unique references payouts (id),
  paid_reference text,
  created_at timestamptz not null default market_now(),
  unique (withdrawal_id, number),
  constraint earn_parts_paid check ((payout_id is null) = (assets_micros = 0))
);

-- History. Rows are only added.
create table earn_movements (
  id bigint generated always as identity primary key,
  vault_key text not null references earn_vaults (key),
  -- Null: it concerns the pool.
  owner_kind text check (owner_kind in ('agent', 'user', 'wallet')),
  owner_id text,
  kind text not null check (kind in ('deposit', 'withdraw', 'withdraw_settled', 'refund', 'harvest', 'loss')),
  -- Of the position, and of the pool's units. Negative: they left.
  shares numeric(39, 0) not null default 0,
  units numeric(39, 0) not null default 0,
  -- Of the queue's units.
  queued_units numeric(39, 0) not null default 0,
  principal_micros bigint not null default 0,
  micros bigint not null default 0,
  subject_id text,
  at timestamptz not null default market_now(),
  constraint earn_movements_owned check ((owner_kind is null) = (owner_id is null))
);
create index earn_movements_of_vault on earn_movements (vault_key, id);
create function refuse_earn_history_change() returns trigger language plpgsql as
$$ begin raise exception 'earn_movements is append-only'; end $$;
create trigger earn_movements_stay before update or delete on earn_movements for each row execute function refuse_earn_history_change();
create trigger earn_movements_kept before truncate on earn_movements for each statement execute function refuse_earn_history_change();

create table earn_samples (
  vault_key text not null references earn_vaults (key),
  at timestamptz not null,
  -- micro-USDC × 10^12 per whole unit of the venue.
  price_per_unit numeric(39, 0) not null check (price_per_unit >= 0),
  unit_decimals integer not null check (unit_decimals between 0 and 36),
  -- Nano-USDC per whole share.
  share_price numeric(39, 0) not null check (share_price >= 0),
  total_assets numeric(39, 0) not null,
  total_units numeric(39, 0) not null,
  free_assets numeric(39, 0) not null,
  paused boolean not null default false,
  apr_pct double precision,
  primary key (vault_key, at)
);
create index earn_samples_age on earn_samples (at);

-- Deposits out of agents' server wallets. The movement pays the treasury; then it is registered.
create table earn_agent_deposits (
  movement_id text primary key references wallet_movements (id),
  agent_id text not null references agents (id),
  vault_key text not null references earn_vaults (key),
  amount_micros bigint not null check (amount_micros > 0),
  slippage_bps integer not null check (slippage_bps between 1 and 1000),
  by_sweep boolean not null default false,
  deposit_id text references earn_deposits (id),
  state text not null default 'open' check (state in ('open', 'registered', 'failed')),
  reason text,
  created_at timestamptz not null default market_now()
);
create index earn_agent_deposits_open on earn_agent_deposits (created_at) where state = 'open';
create index earn_agent_deposits_swept on earn_agent_deposits (agent_id, created_at) where by_sweep;

create table earn_sweeps (
  agent_id text primary key references agents (id),
  vault_key text not null references earn_vaults (key),
  above_micros bigint not null check (above_micros > 0),
  daily_limit_micros bigint not null check (daily_limit_micros > 0),
  enabled boolean not null,
  set_by text not null,
  last_problem text,
  updated_at timestamptz not null default market_now()
);
create index earn_sweeps_enabled on earn_sweeps (agent_id) where enabled;
