-- why: owners limit what their agents and connected programs spend; each payment by machine reserves its amount before it is made

-- No row: nothing is limited. packages/contract/src/spending/decide-spend.ts has the rules.
create table spend_policies (
  subject_kind text not null check (subject_kind in ('agent', 'connection', 'account')),
  subject_id text not null check (subject_kind <> 'account' or subject_id ~ '^(user|wallet):.'),
  per_order_micros bigint check (per_order_micros >= 0),
  per_day_micros bigint check (per_day_micros >= 0),
  per_provider_day_micros bigint check (per_provider_day_micros >= 0),
  per_category_day_micros bigint check (per_category_day_micros >= 0),
  allow_agents text[] not null default '{}',
  block_agents text[] not null default '{}',
  allow_categories text[] not null default '{}',
  block_categories text[] not null default '{}',
  approve_above_micros bigint check (approve_above_micros >= 0),
  frozen boolean not null default false,
  updated_at timestamptz(3) not null default market_now(),
  primary key (subject_kind, subject_id)
);

-- A key or connection sets an amount aside. It only shrinks.
create table spend_budgets (
  id text primary key,
  owner text not null check (owner ~ '^(agent|connection):.'),
  label text,
  amount_micros bigint not null check (amount_micros > 0),
  expires_at timestamptz(3) not null,
  closed_at timestamptz(3),
  created_at timestamptz(3) not null default market_now()
);
create index spend_budgets_of_owner on spend_budgets (owner, created_at desc, id desc);

-- One decided payment of one machine.
create table spendings (
  id text primary key,
  -- Who pays: agent:… or connection:…
  principal text not null check (principal ~ '^(agent|connection):.'),
  operation text not null,
  -- The transfer, the signed payment or the call: the same one again counts once.
  reference text not null,
  -- The order, service or vault the call names.
  about text,
  amount_micros bigint not null check (amount_micros >= 0),
  provider_agent_id text,
  category text,
  -- reserved: under way · kept: paid · released: came to nothing · refused and asked: nothing was reserved
  status text not null check (status in ('reserved', 'kept', 'released', 'refused', 'asked')),
  -- Calls under way with this reference. The last one that fails releases.
  holders integer not null default 1 check (holders >= 0),
  rule text,
  sentence text not null,
  bought_kind text,
  bought_id text,
  budget_id text references spend_budgets (id),
  approval_id text,
  created_at timestamptz(3) not null default market_now(),
  settled_at timestamptz(3),
  constraint spendings_bought check ((bought_kind is null) = (bought_id is null)),
  constraint spendings_settled check ((settled_at is null) = (status = 'reserved'))
);
create index spendings_reference on spendings (principal, reference);
-- A call is named by its Idempotency-Key, which lives for a day; transfers and signed payments have one name for ever.
create unique index spendings_once on spendings (principal, reference)
  where status = 'reserved' or (status = 'kept' and reference !~ '^call ');
create unique index spendings_bought_once on spendings (principal, bought_id) where status = 'kept';
create index spendings_open on spendings (created_at) where status = 'reserved';
create index spendings_of_budget on spendings (budget_id) where status in ('reserved', 'kept') and budget_id is not null;
create index spendings_age on spendings (created_at);

-- All that a payment counts for: its machine, and the accounts of its owner.
create table spending_subjects (
  spending_id text not null references spendings (id) on delete cascade,
  subject_kind text not null check (subject_kind in ('agent', 'connection', 'account')),
  subject_id text not null,
  created_at timestamptz(3) not null default market_now(),
  primary key (spending_id, subject_kind, subject_id)
);
create index spending_subjects_newest on spending_subjects (subject_kind, subject_id, created_at desc, spending_id);

-- A payment that waits for a person. The same call passes once after an approval.
create table spend_approvals (
  id text primary key,
  principal text not null check (principal ~ '^(agent|connection):.'),
  operation text not null,
  -- Of operation and arguments.
  call_hash bytea not null,
  amount_micros bigint not null check (amount_micros > 0),
  provider_agent_id text,
  category text,
  about text,
  sentence text not null,
  -- The accounts that may decide.
  asked_of text[] not null check (cardinality(asked_of) > 0),
  status text not null default 'waiting' check (status in ('waiting', 'approved', 'declined', 'used')),
  spending_id text,
  created_at timestamptz(3) not null default market_now(),
  expires_at timestamptz(3) not null,
  decided_at timestamptz(3),
  decided_by text,
  constraint spend_approvals_decided check ((decided_at is null) = (status = 'waiting') and (decided_by is null) = (decided_at is null)),
  constraint spend_approvals_used check ((spending_id is not null) = (status = 'used'))
);
create index spend_approvals_of_call on spend_approvals (principal, call_hash, expires_at desc);
create index spend_approvals_asked_of on spend_approvals using gin (asked_of);
create index spend_approvals_age on spend_approvals (created_at);
