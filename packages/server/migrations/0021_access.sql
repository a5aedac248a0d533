-- why: a session of a contract wallet counts only on the networks it was proven on, and a changed payout address waits before it takes effect.

alter table sessions add column proven_on text[];

-- A change that the owner's wallet did not sign, and when it takes effect.
alter table agents add column pending_payout jsonb;
alter table agents add column pending_payout_at timestamptz;
alter table agents add constraint agents_pending_payout_dated check ((pending_payout is null) = (pending_payout_at is null));
