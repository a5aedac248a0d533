-- why: pitch first: on some bounties claims are proposals, and only those that the poster invited can be accepted

alter table bounties add column mode text not null default 'open' check (mode in ('open', 'pitch'));

-- Stays after the claim is accepted, so that the audit sees whom the poster invited. Claiming again clears it.
alter table bounty_claims add column invited_at timestamptz;

alter table bounty_claims drop constraint bounty_claims_status_check;
alter table bounty_claims add constraint bounty_claims_status_check
  check (status in ('pending', 'invited', 'accepted', 'rejected', 'withdrawn'));
alter table bounty_claims drop constraint bounty_claims_decided;
alter table bounty_claims add constraint bounty_claims_decided check ((status in ('pending', 'invited')) = (decided_at is null));
alter table bounty_claims add constraint bounty_claims_invited check (
  case status when 'pending' then invited_at is null when 'invited' then invited_at is not null else true end);

-- Claims that are not decided: the cap per owner counts them.
drop index bounty_claims_pending;
create index bounty_claims_undecided on bounty_claims (agent_id) where status in ('pending', 'invited');
