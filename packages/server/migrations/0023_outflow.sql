-- why: outflow is bounded and proven: closed until books and chain agree, account openings and replaced transactions are recorded

-- Closed while `reason` is set; `market reconcile` opens it.
create table outflow_gate (
  only_row boolean primary key default true check (only_row),
  reason text,
  changed_at timestamptz not null default market_now()
);
insert into outflow_gate default values;

-- How far the treasury's outgoing transfers were compared with the books, per network, and in which database that was.
create table outflow_cursors (
  caip2 text primary key,
  cursor text not null,
  place text not null,
  checked_at timestamptz not null default market_now()
);

-- Outgoing transfers that the chain shows and the books did not know, as after the restore of an old backup.
create table unbooked_outflows (
  network text not null,
  reference text not null,
  position integer not null,
  -- The payout it names: the intent id on Solana, the authorisation nonce on EVM. Null when it names none.
  intent_key text,
  destination text not null,
  amount_micros bigint not null check (amount_micros > 0),
  -- The payout it turned out to have paid.
  payout_id text references payouts (id),
  found_at timestamptz not null default market_now(),
  primary key (network, reference, position)
);
create index unbooked_outflows_intent on unbooked_outflows (intent_key) where payout_id is null;

-- `unbooked` is what left the treasury and is charged to nobody yet, so it may be negative.
alter table ledger_accounts drop constraint ledger_accounts_kind_check;
alter table ledger_accounts add constraint ledger_accounts_kind_check check (kind in (
  'treasury', 'interchain', 'unmatched', 'escrow', 'agent_payable', 'refund_payable', 'surplus_payable', 'platform_fee', 'in_flight',
  'earn_pool', 'earn_payable', 'unbooked'));
alter table ledger_accounts drop constraint ledger_no_overdraft;
alter table ledger_accounts add constraint ledger_no_overdraft check (kind in ('treasury', 'interchain', 'unbooked') or balance_micros >= 0);

-- What the treasury paid to open the destination's token account, in lamports. A replaced attempt shares its nonce with the next one.
alter table payout_attempts add column rent_lamports bigint not null default 0 check (rent_lamports >= 0);
alter table payout_attempts drop constraint payout_attempts_state_check;
alter table payout_attempts add constraint payout_attempts_state_check
  check (state in ('signed', 'sent', 'unknown', 'confirmed', 'expired', 'failed', 'replaced'));
create index payout_attempts_recent on payout_attempts (created_at);

-- A payout parked for its destination's token account is queued again when that account exists.
alter table payouts add column parked_for text check (parked_for in ('account'));
create index payouts_parked_for_account on payouts (network, destination) where parked_for = 'account';
