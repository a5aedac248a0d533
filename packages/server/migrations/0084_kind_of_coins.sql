-- why: a process without its settings is a sandbox; on the books of a production it would confirm payouts that worthless coins made

-- Whether the coins in these books are worthless (sandbox) or real (production). Null: no process has recorded it yet.
alter table known_place add column profile text check (profile in ('sandbox', 'production'));
-- Every process compares its treasuries every minute. The sandbox has one on a chain of its own, whose id no real chain has.
update known_place set profile =
  case when exists (select from outflow_cursors where holder = 'eip155:845311453') then 'sandbox' else 'production' end
where exists (select from outflow_cursors);
