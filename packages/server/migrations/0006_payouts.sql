-- why: money out: an intent first, signed bytes before they are sent, at most one confirmed transfer per intent

create table payouts (
  id text primary key,
  purpose text not null check (purpose in ('payout', 'refund', 'surplus', 'withdrawal')),
  subject_id text not null,
  network text not null,
  destination text not null,
  amount_micros bigint not null check (amount_micros > 0),
  -- queued: waits for its turn or for funds · signed: bytes stored, perhaps sent · sent: a node took the bytes
  -- unknown: sending or looking failed, it may have landed · confirmed: final on chain · parked: a person must decide · void: given up, money back
  state text not null default 'queued' check (state in ('queued', 'signed', 'sent', 'unknown', 'confirmed', 'parked', 'void')),
  reason text,
  reference text,
  created_at timestamptz not null default market_now(),
  updated_at timestamptz not null default market_now(),
  check ((state = 'confirmed') = (reference is not null))
);
-- One intent per purpose and subject: this is what makes a second payout for one order impossible.
create unique index payouts_one_per_subject on payouts (purpose, subject_id) where state <> 'void';
create index payouts_open on payouts (updated_at) where state in ('queued', 'signed', 'sent', 'unknown');

create table payout_attempts (
  payout_id text not null references payouts (id),
  number integer not null check (number > 0),
  reference text not null,
  signed_bytes text not null,
  validity text not null,
  state text not null default 'signed' check (state in ('signed', 'sent', 'unknown', 'confirmed', 'expired', 'failed')),
  created_at timestamptz not null default market_now(),
  primary key (payout_id, number),
  unique (reference)
);
create unique index payout_attempts_one_confirmed on payout_attempts (payout_id) where state = 'confirmed';
-- A new attempt is signed only after the one before can no longer land.
create unique index payout_attempts_one_open on payout_attempts (payout_id) where state in ('signed', 'sent', 'unknown');

-- Custodial wallets of agents: the last place a payout can go. Keys are sealed, bound to their row.
create table agent_wallets (
  agent_id text not null references agents (id),
  kind text not null check (kind in ('solana', 'evm')),
  address text not null unique,
  sealed_key text not null,
  created_at timestamptz not null default market_now(),
  primary key (agent_id, kind)
);
