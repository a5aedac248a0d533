-- why: trading fees of agents' tokens in SOL, shared out in the books and paid out once; swaps of USDC into SOL that are executed as quoted, once

-- New kinds of accounts, in a book of their own whose smallest unit is the lamport (`network` is 'solana-mainnet/sol'). The list of kinds is
-- widened and not replaced: other migrations widen it, too.
do $$
declare
  v_name text;
  v_check text;
begin
  select conname, regexp_replace(pg_get_constraintdef(oid), '^CHECK ', '') into strict v_name, v_check
  from pg_constraint where contypid = 'ledger_account_kind'::regtype;
  execute format('alter domain ledger_account_kind drop constraint %I', v_name);
  execute format('alter domain ledger_account_kind add constraint %I check (%s or value in (%L, %L, %L, %L, %L))', v_name, v_check,
                 'creator_fee_agent', 'creator_fee_partner', 'creator_fee_buyback', 'creator_fee_float', 'creator_fee_in_flight');
end
$$;

-- One row per transaction that paid the vault. Without a mint it belongs to no token we know: it is the float that pays network fees.
create table creator_fee_receipts (
  reference text primary key,
  lamports bigint not null check (lamports > 0),
  mint text,
  agent_id text references agents (id),
  path text check (path in ('partner', 'legacy')),
  agent_lamports bigint not null default 0,
  partner_lamports bigint not null default 0,
  buyback_lamports bigint not null default 0,
  block_time timestamptz not null,
  booked_at timestamptz not null default market_now(),
  constraint creator_fee_receipts_known check (num_nulls(mint, agent_id, path) in (0, 3)),
  constraint creator_fee_receipts_whole check (
    agent_lamports >= 0 and partner_lamports >= 0 and buyback_lamports >= 0
    and agent_lamports + partner_lamports + buyback_lamports = case when mint is null then 0 else lamports end)
);
create index creator_fee_receipts_newest on creator_fee_receipts (booked_at desc, reference desc);
create index creator_fee_receipts_mint on creator_fee_receipts (mint) where mint is not null;
create index creator_fee_receipts_agent on creator_fee_receipts (agent_id) where agent_id is not null;

-- How far the vault's transactions have been read.
create table creator_fee_progress (
  only_one boolean primary key default true check (only_one),
  cursor text
);
insert into creator_fee_progress default values;

create table creator_fee_payouts (
  id text primary key,
  share text not null check (share in ('agent', 'partner', 'buyback')),
  agent_id text references agents (id),
  mint text,
  recipient_wallet text not null,
  lamports bigint not null check (lamports > 0),
  -- Taken from the float with the reservation; what the network did not ask for goes back.
  fee_reserve_lamports bigint not null check (fee_reserve_lamports > 0),
  network_fee_lamports bigint,
  -- As of payouts (0006): queued, signed (bytes stored), sent, unknown, confirmed; failed: cannot arrive, the money is back in its share.
  state text not null default 'queued' check (state in ('queued', 'signed', 'sent', 'unknown', 'confirmed', 'failed')),
  reason text,
  reference text,
  created_by text not null,
  created_at timestamptz not null default market_now(),
  updated_at timestamptz not null default market_now(),
  paid_at timestamptz,
  check ((share = 'agent') = (mint is not null) and (mint is null) = (agent_id is null)),
  check ((state = 'confirmed') = (paid_at is not null) and (state = 'confirmed') = (network_fee_lamports is not null))
);
create index creator_fee_payouts_newest on creator_fee_payouts (created_at desc, id desc);
create index creator_fee_payouts_wallet on creator_fee_payouts (recipient_wallet, created_at desc);
create index creator_fee_payouts_agent on creator_fee_payouts (agent_id) where agent_id is not null;
create index creator_fee_payouts_open on creator_fee_payouts (updated_at) where state in ('queued', 'signed', 'sent', 'unknown');

create table creator_fee_attempts (
  payout_id text not null references creator_fee_payouts (id),
  number integer not null check (number > 0),
  reference text not null unique,
  signed_bytes text not null,
  validity text not null,
  state text not null default 'signed' check (state in ('signed', 'sent', 'unknown', 'confirmed', 'expired', 'failed')),
  created_at timestamptz not null default market_now(),
  primary key (payout_id, number)
);
-- New bytes are signed only after the ones before can no longer land.
create unique index creator_fee_attempts_one_open on creator_fee_attempts (payout_id) where state in ('signed', 'sent', 'unknown', 'confirmed');

-- A quote and what became of it. The venue's money and the taker's move on chain only, so the books know nothing of it.
create table swap_orders (
  id text primary key,
  user_id text not null,
  taker text not null,
  receiver text not null,
  amount_micros bigint not null check (amount_micros > 0),
  out_lamports bigint not null check (out_lamports > 0),
  least_lamports bigint not null check (least_lamports > 0 and least_lamports <= out_lamports),
  -- The venue's name for it, and the hash of the message that the taker signs: nothing else is passed on.
  venue_request text not null,
  message_hash bytea not null,
  -- Kept before the venue sees them. The same bytes pay at most once, however often they are sent.
  signed_transaction text,
  state text not null default 'quoted' check (state in ('quoted', 'executing', 'done', 'failed')),
  signature text,
  reason text,
  created_at timestamptz not null default market_now(),
  expires_at timestamptz not null,
  check ((state = 'quoted') = (signed_transaction is null)),
  check (state <> 'done' or signature is not null)
);
create index swap_orders_expiry on swap_orders (expires_at);
