-- why: public figures stay cheap at any number of orders: finished days are summed once, lists and feeds read an index, treasuries are read by a job

-- What one span of time adds to the figures, told from the records by when each thing happened. Orders between the same people count for
-- nothing. Days are UTC. Network and category are empty where there is none.
create function count_figures(p_from timestamptz, p_to timestamptz)
returns table (day date, network text, category text, kind text, placed bigint, paid bigint, paid_micros bigint, paid_fee_micros bigint,
               completed bigint, cancelled bigint, released_micros bigint, fee_micros bigint, refunded_micros bigint)
language sql stable as
$$
  select f.day, f.network, f.category, f.kind, sum(f.placed)::bigint, sum(f.paid)::bigint, sum(f.paid_micros)::bigint, sum(f.paid_fee_micros)::bigint,
         sum(f.completed)::bigint, sum(f.cancelled)::bigint, sum(f.released_micros)::bigint, sum(f.fee_micros)::bigint, sum(f.refunded_micros)::bigint
  from (
    select (o.created_at at time zone 'utc')::date as day, '' as network, coalesce(o.category, '') as category, o.kind,
           1 as placed, 0 as paid, 0 as paid_micros, 0 as paid_fee_micros, 0 as completed, 0 as cancelled,
           0 as released_micros, 0 as fee_micros, 0 as refunded_micros
    from orders o where o.created_at >= p_from and o.created_at < p_to and not o.related_party
    union all
    select (o.paid_at at time zone 'utc')::date, coalesce(o.payment_network, ''), coalesce(o.category, ''), o.kind,
           0, 1, o.paid_micros, coalesce(o.fee_micros, 0), 0, 0, 0, 0, 0
    from orders o where o.paid_at >= p_from and o.paid_at < p_to and o.paid_micros > 0 and not o.related_party
    union all
    select (coalesce(o.completed_at, o.cancelled_at) at time zone 'utc')::date, coalesce(o.payment_network, ''), coalesce(o.category, ''), o.kind,
           0, 0, 0, 0, (o.status = 'completed')::int, (o.status = 'cancelled')::int, 0, 0, 0
    from orders o
    where coalesce(o.completed_at, o.cancelled_at) >= p_from and coalesce(o.completed_at, o.cancelled_at) < p_to
      and o.status in ('completed', 'cancelled') and not o.related_party
    union all
    select (s.at at time zone 'utc')::date, coalesce(o.payment_network, ''), coalesce(o.category, ''), o.kind,
           0, 0, 0, 0, 0, 0, s.agent_micros, s.fee_micros, s.refund_micros
    from settlements s join orders o on o.id = s.order_id where s.at >= p_from and s.at < p_to and not o.related_party
  ) f
  group by f.day, f.network, f.category, f.kind
$$;
create index orders_placed_at on orders (created_at) where not related_party;
create index orders_paid_at on orders (paid_at) where paid_micros > 0 and not related_party;
create index orders_ended_at on orders ((coalesce(completed_at, cancelled_at))) where status in ('completed', 'cancelled') and not related_party;
create index orders_under_way on orders (status) where status not in ('completed', 'cancelled') and not related_party;
create index orders_completed_in_category on orders (category, completed_at desc) where status = 'completed' and not related_party;
create index settlements_at on settlements (at);

-- Finished days, summed. What a day counts happened on it, so it never changes again; later days are counted when somebody asks.
create table daily_figures (
  day date not null,
  network text not null,
  category text not null,
  kind text not null,
  placed bigint not null,
  paid bigint not null,
  paid_micros bigint not null,
  paid_fee_micros bigint not null,
  completed bigint not null,
  cancelled bigint not null,
  released_micros bigint not null,
  fee_micros bigint not null,
  refunded_micros bigint not null,
  primary key (day, network, category, kind)
);
-- Everybody who ever bought, up to the last finished day.
create table counted_buyers (buyer text primary key);
-- The first day that is not summed yet, and how many buyers there were before it.
create table figures_progress (
  one_row boolean primary key default true check (one_row),
  open_day date not null,
  buyers bigint not null default 0
);
insert into figures_progress (open_day) select coalesce((min(created_at) at time zone 'utc')::date, (market_now() at time zone 'utc')::date) from orders;

create function buyer_of(p_order orders) returns text language sql immutable as
$$ select coalesce(p_order.user_id, p_order.client_wallet, p_order.client_agent_id) $$;

-- Sums the days from the open one up to p_before, at most a month of them. Returns whether more are left; false when another process is at it.
create function sum_figures(p_before date) returns boolean language plpgsql as
$$
declare
  v_open date;
  v_before date;
  v_new bigint;
begin
  select open_day into v_open from figures_progress for update skip locked;
  if v_open is null or v_open >= p_before then return false; end if;
  v_before := least(p_before, v_open + 31);
  insert into daily_figures
    select * from count_figures(v_open::timestamp at time zone 'utc', v_before::timestamp at time zone 'utc');
  insert into counted_buyers
    select distinct buyer_of(o) from orders o
    where o.paid_at >= v_open::timestamp at time zone 'utc' and o.paid_at < v_before::timestamp at time zone 'utc'
      and o.paid_micros > 0 and not o.related_party
    on conflict do nothing;
  get diagnostics v_new = row_count;
  update figures_progress set open_day = v_before, buyers = buyers + v_new;
  return v_before < p_before;
end
$$;

-- All figures by day: summed ones, and the rest counted now. One statement sees both as of one moment.
create function figures_since(p_day date)
returns table (day date, network text, category text, kind text, placed bigint, paid bigint, paid_micros bigint, paid_fee_micros bigint,
               completed bigint, cancelled bigint, released_micros bigint, fee_micros bigint, refunded_micros bigint)
language sql stable as
$$
  select d.* from daily_figures d where d.day >= p_day
  union all
  select c.* from figures_progress p
  cross join lateral count_figures(greatest(p.open_day, p_day)::timestamp at time zone 'utc', 'infinity') c
$$;

-- What each treasury held on its chain and what the books said at that moment.
create table treasury_readings (
  network text primary key,
  held_micros bigint not null,
  escrow_micros bigint not null,
  agents_micros bigint not null,
  refunds_micros bigint not null,
  surplus_micros bigint not null,
  unmatched_micros bigint not null,
  in_flight_micros bigint not null,
  own_micros bigint not null,
  read_at timestamptz not null
);

-- When an agent last used its key, to the minute: who is alive.
create table agent_presence (
  agent_id text primary key references agents (id),
  seen_at timestamptz not null
);

-- Lists anybody can page through.
create index events_of_type on events (type, id);
create index orders_by_machines on orders (created_at, id) where kind = 'machine' and not related_party;
create index orders_by_machines_on on orders (payment_network, created_at, id) where kind = 'machine' and not related_party;
create index payouts_of_network on payouts (network, id);
alter table payment_claims add column number bigint generated always as identity;
create unique index payment_claims_number on payment_claims (number);
create index payment_claims_of_chain on payment_claims (caip2, number);
create index payment_claims_of_purpose on payment_claims (purpose, number);

-- The sandbox's demo content: whose wallets it was made with, and when it was complete. Never in production.
create table demo_content (
  one_row boolean primary key default true check (one_row),
  sealed_seed text not null,
  completed_at timestamptz,
  created_at timestamptz not null default market_now()
);
