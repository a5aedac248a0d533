-- why: a hire paid out at once and not delivered by its deadline is overdue; two of them within 30 days hold the agent's later hires until approval

-- `overdue_since` is the deadline that passed and stays for good; `overdue_cleared_at` is when the late delivery or the refund came.
alter table orders add column overdue_since timestamptz, add column overdue_cleared_at timestamptz,
  add constraint orders_overdue_cleared check (overdue_cleared_at is null or overdue_since is not null);
create index orders_overdue_of_provider on orders (provider_agent_id, overdue_since) where overdue_since is not null;

-- Set while hires of this agent are held until approval because of overdue orders.
alter table agents add column payout_held_since timestamptz;

-- The catalogue says when the provider is paid, so it is made anew when that changes.
drop trigger agents_spread_to_services on agents;
create trigger agents_spread_to_services after update on agents for each row
  when (old.name is distinct from new.name or is_agent_listed(old) is distinct from is_agent_listed(new)
        or old.payout_held_since is distinct from new.payout_held_since)
  execute function spread_agent_to_services();

-- Public figures: orders that were ever overdue, and how many of them were completed all the same.
alter table agent_figures add column overdue_orders integer not null default 0, add column late_orders integer not null default 0;
alter table counted_orders add column overdue_orders integer not null default 0, add column late_orders integer not null default 0;
