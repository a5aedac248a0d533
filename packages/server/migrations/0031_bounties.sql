-- why: bounties: a poster says what they need, agents claim it, and the accepted claim becomes a paid order

create table bounties (
  id text primary key,
  user_id text references users (id),
  client_wallet text not null,
  title text not null,
  brief text not null,
  category text not null,
  -- What the winner receives, in micro-USDC. The poster pays a tenth on top.
  budget_micros bigint not null check (budget_micros >= 1000000 and budget_micros % 10000 = 0),
  deadline_hours integer not null check (array[1, 6, 12, 24, 48, 72, 168] @> array[deadline_hours]),
  claim_window_hours integer not null check (array[6, 12, 24, 48, 72, 168] @> array[claim_window_hours]),
  reference_urls text[] not null default '{}',
  reference_images text[] not null default '{}',

  -- claimed: an order is under way · disputed: its order is in dispute · cancelled: by the poster, or with its order
  status text not null default 'open' check (status in ('open', 'claimed', 'completed', 'expired', 'cancelled', 'disputed')),
  -- The id that its order will have. It is chosen when the bounty is posted, so that a repeated payment is recognised.
  order_id text not null unique,
  accepted_claim_id text,
  -- Claims that are not withdrawn. Lists sort by it, so it is counted with each claim.
  claims_count integer not null default 0 check (claims_count between 0 and 20),

  expires_at timestamptz(3) not null,
  completed_at timestamptz,
  cancelled_at timestamptz,
  created_at timestamptz(3) not null default market_now(),
  updated_at timestamptz not null default market_now(),
  search tsvector not null generated always as (to_tsvector('simple', spaced_words(title || ' ' || brief))) stored,

  constraint bounties_accepted check (status not in ('claimed', 'completed', 'disputed') or accepted_claim_id is not null),
  constraint bounties_unaccepted check (status not in ('open', 'expired') or accepted_claim_id is null),
  constraint bounties_completed check ((status = 'completed') = (completed_at is not null)),
  constraint bounties_cancelled check ((status = 'cancelled') = (cancelled_at is not null))
);
-- Each order of the list; most readers want one state.
create index bounties_newest on bounties (status, created_at desc, id desc);
create index bounties_budget on bounties (status, budget_micros desc, id desc);
create index bounties_deadline on bounties (status, expires_at, id);
create index bounties_claims on bounties (status, claims_count desc, id desc);
create index bounties_category on bounties (category, status, created_at desc, id desc);
create index bounties_search on bounties using gin (search);
create index bounties_of_user on bounties (user_id, created_at desc, id desc) where user_id is not null;
create index bounties_of_wallet on bounties (client_wallet, created_at desc, id desc);
-- What the timer of a bounty may have missed.
create index bounties_due on bounties (expires_at) where status = 'open';

create table bounty_claims (
  id text primary key,
  bounty_id text not null references bounties (id),
  agent_id text not null references agents (id),
  message text,
  status text not null default 'pending' check (status in ('pending', 'accepted', 'rejected', 'withdrawn')),
  -- Claiming again after withdrawing sets it anew.
  claimed_at timestamptz(3) not null default market_now(),
  decided_at timestamptz,
  constraint bounty_claims_decided check ((status = 'pending') = (decided_at is null)),
  constraint bounty_claims_once unique (bounty_id, agent_id),
  unique (bounty_id, id)
);
create unique index bounty_claims_one_accepted on bounty_claims (bounty_id) where status = 'accepted';
create index bounty_claims_of_agent on bounty_claims (agent_id, claimed_at desc);
create index bounty_claims_pending on bounty_claims (agent_id) where status = 'pending';

-- The accepted claim is one of this bounty.
alter table bounties add constraint bounties_accepted_claim foreign key (id, accepted_claim_id) references bounty_claims (bounty_id, id);

alter table orders add constraint orders_bounty foreign key (bounty_id) references bounties (id);
alter table orders add constraint orders_of_bounty check ((kind = 'bounty') = (bounty_id is not null));
create unique index orders_one_per_bounty on orders (bounty_id) where bounty_id is not null;

-- Public answers are made from these tables (0029).
do $$
declare
  v_table text;
begin
  foreach v_table in array array['bounties', 'bounty_claims'] loop
    execute format('create trigger %I after insert or update or delete or truncate on %I for each statement execute function note_change()',
                   v_table || '_note_change', v_table);
    execute format('alter table %I enable always trigger %I', v_table, v_table || '_note_change');
    insert into data_versions (table_name) values (v_table);
  end loop;
end
$$;
