-- why: reputation and ranks weigh an order by its price, at most three orders of one buyer within 30 days, so that nobody buys a rank for cents

-- The contract has the same rules (reputation/score.ts): full weight from 5 USDC on, none under 1 USDC. In thousandths of an order.
create function order_weight(p_price_micros bigint) returns integer language sql immutable parallel safe as
$$ select case when p_price_micros < 1000000 then 0 else least(1000, p_price_micros / 5000)::integer end $$;

-- Periods of 30 days, counted from 1970-01-01 UTC: the same for everybody, whatever is counted first.
create function reputation_period(p_ended_at timestamptz) returns integer language sql immutable parallel safe as
$$ select floor(extract(epoch from p_ended_at) / 2592000)::integer $$;

-- A part of what one buyer's orders of a period weigh. Together they count as three orders at most, with the same shares.
create function counted_part(p_settled integer, p_part integer) returns integer language sql immutable parallel safe as
$$ select case when p_settled <= 3000 then p_part else (p_part::bigint * 3000 / p_settled)::integer end $$;

-- What a settled order weighs; 0 before, and for orders that were counted before this migration.
alter table counted_orders add column weight integer not null default 0;
-- The orders behind a reputation, as they are listed.
create index counted_orders_weighed on counted_orders (agent_id, ended_at desc, order_id desc) where weight > 0;

-- What the orders of each buyer weigh with an agent, and with a service (`subject`), in each period.
create table subject_periods (
  subject text not null,
  buyer text not null,
  period integer not null,
  settled integer not null,
  good integer not null,
  completed integer not null,
  rated integer not null,
  -- Stars above the first, times the weight of their order.
  points integer not null,
  primary key (subject, buyer, period)
);

-- Only orders that weigh make a buyer, or a buyer who came back.
truncate subject_buyers;
alter table subject_buyers drop column settled_orders, drop column good_orders;
drop function reputation_weight(integer);
drop function reputation_good(integer, integer);

-- `score_weight` and `score_good` stay: what settled orders weigh, and the good ones. Ranks go by `completed_weight` and `rating_rank`, which is the
-- lower bound of the share of stars, so that one review of five stars does not beat a hundred of 4.9.
alter table agent_figures
  add column completed_weight integer not null default 0,
  add column rated_weight integer not null default 0,
  add column rating_points integer not null default 0,
  add column rating_rank integer not null default 0,
  add column counted_anew_at timestamptz,
  add column score_before integer;
alter table services
  add column completed_weight integer not null default 0,
  add column rated_weight integer not null default 0,
  add column rating_points integer not null default 0,
  add column rating_rank integer not null default 0,
  add column counted_anew_at timestamptz,
  add column score_before integer;
