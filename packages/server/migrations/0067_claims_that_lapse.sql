-- why: a claim on a bounty is held for `claim_window_hours` and then lapses; the bounty itself takes claims for `open_days`

-- How long it takes claims, from its posting. Null: posted before, when the claim window was the end of the bounty; that end stays.
alter table bounties add column open_days integer check (open_days between 1 and 30);

-- Until then the claim is held for the poster's decision; then it lapses, and its place is free.
alter table bounty_claims add column lapses_at timestamptz(3);
-- Claims on bounties of before end with their bounty at the latest, as they were promised.
update bounty_claims c set lapses_at = greatest(c.claimed_at + make_interval(hours => b.claim_window_hours), b.expires_at)
from bounties b where b.id = c.bounty_id;
alter table bounty_claims alter column lapses_at set not null;
-- When it was held longer for a payment that was not final yet: once, and `lapses_at` has the new end.
alter table bounty_claims add column held_at timestamptz;

alter table bounty_claims drop constraint bounty_claims_status_check;
alter table bounty_claims add constraint bounty_claims_status_check
  check (status in ('pending', 'invited', 'accepted', 'rejected', 'withdrawn', 'lapsed'));
-- What the timer of a claim may have missed.
create index bounty_claims_due on bounty_claims (lapses_at) where status in ('pending', 'invited');
