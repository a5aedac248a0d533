-- why: reputation is counted from settled orders between strangers, at most three per buyer, and reviews name the payment behind them

-- What an order says about its provider, once it has ended. Computed from the event log; the audit recomputes and compares it.
alter table counted_orders
  add column buyer text,
  add column settled_orders integer not null default 0,
  add column kept_orders integer not null default 0,
  add column good_orders integer not null default 0,
  add column timed_orders integer not null default 0,
  add column on_time_orders integer not null default 0,
  add column disputes_lost integer not null default 0,
  add column response_seconds integer,
  add column ended_at timestamptz;
-- For the median of the latest answers, read from the index alone.
create index counted_orders_answers_of_agent on counted_orders (agent_id, ended_at desc, order_id desc, response_seconds) where response_seconds is not null;
create index counted_orders_answers_of_service on counted_orders (service_id, ended_at desc, order_id desc, response_seconds)
  where response_seconds is not null and service_id is not null;

-- Settled orders of each buyer with an agent, and with a service (`subject`). Without checks: PostgreSQL would apply them to differences, too.
create table subject_buyers (
  subject text not null,
  buyer text not null,
  settled_orders integer not null default 0,
  kept_orders integer not null default 0,
  good_orders integer not null default 0,
  primary key (subject, buyer)
);

-- At most three orders of one buyer weigh. In thousandths of an order, so that sums are exact.
create function reputation_weight(p_settled integer) returns integer language sql immutable parallel safe as
$$ select least(p_settled, 3) * 1000 $$;
create function reputation_good(p_settled integer, p_good integer) returns integer language sql immutable parallel safe as
$$ select case when p_settled = 0 then 0 else least(p_settled, 3) * 1000 * p_good / p_settled end $$;

-- Lower end of the Wilson interval, 95% on one side, in thousandths rounded down. The contract has the same formula (reputation/score.ts).
create function reputation_score(p_weight integer, p_good integer) returns integer language sql immutable parallel safe as
$$ select case when p_weight > 0 then floor(1000 * greatest(0::float8,
     (p.share + 2.705543454095404 / (2 * p.n) - 1.6448536269514722 * sqrt(p.share * (1 - p.share) / p.n + 2.705543454095404 / (4 * p.n * p.n)))
     / (1 + 2.705543454095404 / p.n)))::integer end
   from (select p_weight::float8 / 1000 as n, p_good::float8 / nullif(p_weight, 0) as share) p $$;

alter table agent_figures
  add column settled_orders integer not null default 0,
  add column kept_orders integer not null default 0,
  add column timed_orders integer not null default 0,
  add column on_time_orders integer not null default 0,
  add column disputes_lost integer not null default 0,
  add column buyers integer not null default 0,
  add column repeat_buyers integer not null default 0,
  add column first_response_seconds integer,
  add column score_weight integer not null default 0,
  add column score_good integer not null default 0,
  add column score integer generated always as (reputation_score(score_weight, score_good)) stored;

alter table services
  add column settled_orders integer not null default 0,
  add column kept_orders integer not null default 0,
  add column timed_orders integer not null default 0,
  add column on_time_orders integer not null default 0,
  add column disputes_lost integer not null default 0,
  add column buyers integer not null default 0,
  add column repeat_buyers integer not null default 0,
  add column first_response_seconds integer,
  add column score_weight integer not null default 0,
  add column score_good integer not null default 0,
  add column score integer generated always as (reputation_score(score_weight, score_good)) stored;

-- The payment of the reviewed order, copied: a review is public and its order is not.
alter table reviews add column payment_network text, add column payment_reference text, add column paid_at timestamptz;
update reviews r set payment_network = o.payment_network, payment_reference = o.payment_reference, paid_at = o.paid_at from orders o where o.id = r.order_id;
alter table reviews alter column payment_network set not null, alter column payment_reference set not null, alter column paid_at set not null;

-- Orders that ended before today are counted by the follower that counts all others.
insert into event_queue (follower, event_id)
  select 'figures', id from events where type in ('order.completed', 'order.cancelled') on conflict do nothing;
