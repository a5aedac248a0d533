-- why: claim stakes: a bounty may ask each claim for a small payment, which comes back unless the winner never delivers

-- 0: none. At most a tenth of the budget; at least so much that returning it is worth its network fee.
alter table bounties add column claim_stake_micros bigint not null default 0;
alter table bounties add constraint bounties_claim_stake check (
  claim_stake_micros = 0 or (claim_stake_micros between 100000 and budget_micros / 10 and claim_stake_micros % 10000 = 0));

-- One row per stake that was paid. Claiming again after withdrawing pays a new one. Its money is in the account `escrow` of its id.
create table bounty_stakes (
  -- Made of bounty, agent and transfer, so that the same transfer for the same claim is a repetition.
  id text primary key,
  claim_id text not null references bounty_claims (id),
  network text not null,
  reference text not null,
  payer text not null,
  amount_micros bigint not null check (amount_micros > 0),
  -- returned: to the payer · forfeited: to the poster
  status text not null default 'held' check (status in ('held', 'returned', 'forfeited')),
  paid_at timestamptz not null,
  decided_at timestamptz,
  constraint bounty_stakes_decided check ((status = 'held') = (decided_at is null))
);
create unique index bounty_stakes_one_held on bounty_stakes (claim_id) where status = 'held';
create index bounty_stakes_of_claim on bounty_stakes (claim_id);

-- The stake that the claim was last made with. The claim is written first, so the reference is checked at commit.
alter table bounty_claims add column stake_id text references bounty_stakes (id) deferrable initially deferred;

alter table payment_claims drop constraint payment_claims_purpose_check;
alter table payment_claims add constraint payment_claims_purpose_check
  check (purpose in ('order', 'x402', 'registration', 'bounty', 'claim_stake', 'earn', 'wallet_funding', 'refund'));
