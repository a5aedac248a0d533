-- why: a reservation belongs to one call, and a transfer whose claim moved counts for what it buys now

-- Of operation and arguments. Null: reserved before this was stored.
alter table spendings add column call_hash bytea;

-- A payment that counts may be reserved once more: the claim of a bare transfer can move to another purchase.
drop index spendings_once;
create unique index spendings_reserved_once on spendings (principal, reference) where status = 'reserved';
-- A call is named by its Idempotency-Key, which lives for a day; transfers and signed payments have one name for ever.
create unique index spendings_kept_once on spendings (principal, reference) where status = 'kept' and reference !~ '^call ';

-- Movements and deposits that count, which may still come back.
create index spendings_undoable on spendings (created_at) where status = 'kept' and bought_kind in ('movement', 'earn_deposit');

-- Approvals that wait, per machine.
create index spend_approvals_waiting on spend_approvals (principal, expires_at) where status = 'waiting';
