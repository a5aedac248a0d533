-- why: the whole life of a hire: orders and their steps, what was delivered, said, disputed and judged, and who was told

-- An event may concern an agent (who hears of it by webhook), and carries what readers inside the house need beside its public data.
alter table events add column agent_id text, add column context jsonb not null default '{}';

create table orders (
  id text primary key,
  -- standard: hired by a person or an agent · machine: paid over HTTP · bounty: won
  kind text not null default 'standard' check (kind in ('standard', 'machine', 'bounty')),
  service_id text references services (id),
  bounty_id text,
  provider_agent_id text not null references agents (id),

  -- The buyer, by whichever identity placed the order. Both agent and account may stand beside a wallet.
  client_agent_id text references agents (id),
  client_wallet text,
  user_id text references users (id),
  -- Buyer and provider are the same people: counts for nothing in public figures.
  related_party boolean not null default false,

  -- What was agreed, copied from the service so that a later edit changes no running order.
  service_title text not null,
  category text,
  price_type text not null check (price_type in ('fixed', 'quote', 'weekly', 'monthly')),
  turnaround_hours integer not null check (turnaround_hours between 1 and 8760),
  max_revisions integer not null check (max_revisions between 0 and 10),
  quota_total integer not null default 0 check (quota_total >= 0),
  brief text not null,
  reference_urls text[] not null default '{}',
  reference_images text[] not null default '{}',
  requirement_answers jsonb,

  status text not null check (status in ('pending_quote', 'quoted', 'accepted', 'paid', 'in_progress', 'delivered', 'completed',
                                         'revision_requested', 'disputed', 'cancelled')),
  revision_count integer not null default 0,
  extra_revisions integer not null default 0,
  quota_used integer not null default 0 check (quota_used >= 0 and (quota_total = 0 or quota_used <= quota_total)),

  -- Money, in micro-USDC. `paid_micros` is what was credited to escrow.
  price_micros bigint check (price_micros >= 0),
  fee_micros bigint check (fee_micros >= 0),
  settlement text not null default 'on_approval' check (settlement in ('on_approval', 'instant')),
  payment_method text,
  payment_network text,
  payer text,
  payment_reference text,
  paid_micros bigint not null default 0 check (paid_micros >= 0),

  quoted_at timestamptz,
  paid_at timestamptz,
  -- Promised by, and after a grace the end of it.
  due_at timestamptz,
  delivery_deadline timestamptz,
  workspace_ends_at timestamptz,
  delivered_at timestamptz,
  review_deadline timestamptz,
  revision_deadline timestamptz,
  completed_at timestamptz,
  cancelled_at timestamptz,
  allow_portfolio boolean not null default false,
  created_at timestamptz(3) not null default market_now(),
  updated_at timestamptz not null default market_now(),

  constraint orders_has_buyer check (client_agent_id is not null or client_wallet is not null or user_id is not null),
  constraint orders_price_agreed check (status in ('pending_quote', 'cancelled') or price_micros is not null),
  constraint orders_paid check ((payment_reference is not null) = (paid_micros > 0)),
  constraint orders_funded check (status not in ('paid', 'in_progress', 'delivered', 'completed', 'revision_requested', 'disputed') or paid_micros > 0),
  constraint orders_review_clock check (status <> 'delivered' or review_deadline is not null),
  constraint orders_revision_clock check (status <> 'revision_requested' or revision_deadline is not null)
);
create unique index orders_one_payment on orders (payment_network, payment_reference) where payment_reference is not null;
create index orders_of_provider on orders (provider_agent_id, created_at desc, id desc);
create index orders_of_wallet on orders (client_wallet, created_at desc, id desc) where client_wallet is not null;
create index orders_of_user on orders (user_id, created_at desc, id desc) where user_id is not null;
create index orders_of_agent_client on orders (client_agent_id, created_at desc, id desc) where client_agent_id is not null;
create index orders_of_service on orders (service_id) where service_id is not null;
-- What the timers look after; the jobs are the clockwork, this is for finding what a lost job left behind.
create index orders_overdue_review on orders (review_deadline) where status = 'delivered';
create index orders_overdue_revision on orders (revision_deadline) where status = 'revision_requested';
create index orders_overdue_workspace on orders (workspace_ends_at) where status = 'in_progress' and workspace_ends_at is not null;
create index orders_overdue_delivery on orders (delivery_deadline) where status in ('paid', 'in_progress') and delivery_deadline is not null;

-- Every step an order took, gap-free: its history and its proof.
create table order_steps (
  order_id text not null references orders (id),
  number integer not null check (number > 0),
  command text not null,
  from_status text,
  to_status text not null,
  actor_role text not null check (actor_role in ('buyer', 'provider', 'admin', 'system')),
  -- `agent:…`, `user:…`, `wallet:…`, or `market`.
  actor text not null,
  -- What the actor said: feedback, reason, price.
  note text,
  at timestamptz not null default market_now(),
  primary key (order_id, number)
);
create function refuse_step_change() returns trigger language plpgsql as
$$ begin raise exception 'the history of an order is append-only'; end $$;
create trigger order_steps_append_only before update or delete on order_steps for each row execute function refuse_step_change();

-- How the money of an order was shared out. The primary key is the promise: once.
create table settlements (
  order_id text primary key references orders (id),
  outcome text not null check (outcome in ('payout', 'refund', 'split')),
  agent_micros bigint not null check (agent_micros >= 0),
  fee_micros bigint not null check (fee_micros >= 0),
  refund_micros bigint not null check (refund_micros >= 0),
  at timestamptz not null default market_now()
);

create table deliverables (
  id text primary key,
  order_id text not null references orders (id),
  -- Deliveries are numbered; the files of one delivery stay together.
  round integer not null check (round > 0),
  position integer not null default 0,
  -- What a workspace request asked for; empty for a delivery.
  prompt text not null default '',
  url text,
  media_type text check (media_type in ('image', 'video', 'link', 'document', 'code', 'text')),
  -- The text itself where no file is needed.
  content text,
  upload_id text,
  -- pending: the agent will answer · generating: its endpoint is being asked · superseded: a later delivery replaced it
  status text not null check (status in ('pending', 'generating', 'completed', 'failed', 'superseded')),
  error text,
  is_request boolean not null default false,
  answer_by timestamptz,
  created_at timestamptz(3) not null default market_now(),
  answered_at timestamptz,
  constraint deliverables_has_content check (status in ('pending', 'generating', 'failed') or url is not null or content is not null)
);
create index deliverables_of_order on deliverables (order_id, created_at, id);
create index deliverables_open on deliverables (order_id) where status in ('pending', 'generating');
create index deliverables_of_upload on deliverables (upload_id) where upload_id is not null;

create table order_messages (
  id text primary key,
  order_id text not null references orders (id),
  number integer not null check (number > 0),
  sender_type text not null check (sender_type in ('client', 'agent')),
  sender_id text not null,
  sender_name text not null,
  user_id text,
  content text not null,
  created_at timestamptz(3) not null default market_now(),
  unique (order_id, number)
);
-- How far each side has read.
create table message_reads (
  order_id text not null references orders (id),
  side text not null check (side in ('client', 'agent')),
  last_number integer not null,
  read_at timestamptz not null default market_now(),
  primary key (order_id, side)
);

create table reviews (
  id text primary key,
  order_id text not null unique references orders (id),
  service_id text references services (id),
  agent_id text not null references agents (id),
  reviewer_id text not null,
  reviewer_name text not null,
  user_id text,
  rating integer not null check (rating between 1 and 5),
  comment text,
  created_at timestamptz(3) not null default market_now()
);
create index reviews_of_agent on reviews (agent_id, created_at desc, id desc);
create index reviews_of_service on reviews (service_id, created_at desc, id desc) where service_id is not null;

create table disputes (
  id text primary key,
  order_id text not null references orders (id),
  opened_by text not null check (opened_by in ('buyer', 'system')),
  reason text not null,
  state text not null default 'open' check (state in ('open', 'ruled', 'withdrawn', 'refunded')),
  -- Both sides speak until then; the ruling is due by the second.
  evidence_until timestamptz not null,
  ruling_due timestamptz not null,
  ruling text check (ruling in ('release', 'refund', 'split')),
  ruling_reason text,
  refund_micros bigint,
  ruled_by text,
  opened_at timestamptz(3) not null default market_now(),
  closed_at timestamptz,
  check ((state = 'open') = (closed_at is null)),
  check ((state = 'ruled') = (ruling is not null))
);
create unique index disputes_one_open on disputes (order_id) where state = 'open';
create index disputes_open on disputes (ruling_due) where state = 'open';
create index disputes_of_order on disputes (order_id, opened_at);

create table dispute_statements (
  id text primary key,
  dispute_id text not null references disputes (id),
  side text not null check (side in ('buyer', 'provider')),
  author text not null,
  statement text not null,
  evidence_urls text[] not null default '{}',
  created_at timestamptz(3) not null default market_now()
);
create index dispute_statements_of_dispute on dispute_statements (dispute_id, created_at, id);

-- One row per recipient. A person is told at the account, at the wallet, or both.
create table notifications (
  id text primary key,
  event_id bigint not null references events (id),
  user_id text,
  wallet text,
  agent_id text,
  type text not null,
  title text not null,
  body text not null,
  order_id text,
  read_at timestamptz,
  created_at timestamptz(3) not null default market_now(),
  check (user_id is not null or wallet is not null or agent_id is not null)
);
-- The same event tells the same recipient the same thing once, however often it is handled.
create unique index notifications_once on notifications (event_id, type, coalesce(user_id, ''), coalesce(wallet, ''), coalesce(agent_id, ''));
create index notifications_of_user on notifications (user_id, event_id desc, id desc) where user_id is not null;
create index notifications_of_wallet on notifications (wallet, event_id desc, id desc) where wallet is not null;
create index notifications_of_agent on notifications (agent_id, event_id desc, id desc) where agent_id is not null;
create index notifications_read on notifications (read_at) where read_at is not null;
create index notifications_unread_user on notifications (user_id) where user_id is not null and read_at is null;
create index notifications_unread_wallet on notifications (wallet) where wallet is not null and read_at is null;
create index notifications_unread_agent on notifications (agent_id) where agent_id is not null and read_at is null;

-- What each order adds to the public figures of its agent and service, as last counted. Figures move by the difference to it,
-- so that counting an order again, twice at once or in another order changes nothing.
create table counted_orders (
  order_id text primary key references orders (id),
  agent_id text not null references agents (id),
  service_id text references services (id),
  total_orders integer not null default 0,
  completed_orders integer not null default 0,
  revenue_micros bigint not null default 0,
  rating_sum integer not null default 0,
  rating_count integer not null default 0
);

-- Results whose buyers let them be shown.
create index orders_shown on orders (provider_agent_id, completed_at) where status = 'completed' and allow_portfolio and not related_party;
create table hidden_portfolio (
  agent_id text not null references agents (id),
  source_type text not null check (source_type in ('order', 'deliverable')),
  source_id text not null,
  hidden_at timestamptz not null default market_now(),
  primary key (agent_id, source_type, source_id)
);

-- What operators did, with their reasons; append-only.
create table admin_actions (
  id bigint generated always as identity primary key,
  admin text not null,
  action text not null,
  subject_id text not null,
  reason text,
  details jsonb not null default '{}',
  at timestamptz not null default market_now()
);
create index admin_actions_subject on admin_actions (subject_id, id);
create function refuse_admin_action_change() returns trigger language plpgsql as
$$ begin raise exception 'the record of operators’ actions is append-only'; end $$;
create trigger admin_actions_append_only before update or delete on admin_actions for each row execute function refuse_admin_action_change();
