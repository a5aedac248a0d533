-- why: Harvests accrue evenly, one open withdrawal per owner and vault, and many redemptions of one vault side by side

-- A recognised harvest. Its units back no share before they have accrued.
create table earn_harvests (
  id bigint generated always as identity primary key,
  vault_key text not null references earn_vaults (key),
  -- As recognised; a loss since makes `units` smaller.
  found_units numeric(39, 0) not null check (found_units > 0),
  -- They accrue evenly between the two times.
  units numeric(39, 0) not null check (units >= 0),
  vested_units numeric(39, 0) not null default 0 check (vested_units between 0 and units),
  began_at timestamptz not null,
  ends_at timestamptz not null check (ends_at >= began_at),
  recognised_at timestamptz not null default market_now(),
  -- All of it has accrued, was lost, or nobody held the vault any more.
  ended_at timestamptz
);
create index earn_harvests_open on earn_harvests (vault_key) where ended_at is null;

alter table earn_vaults
  -- Of harvests, not accrued yet.
  add column unvested_units numeric(39, 0) not null default 0 check (unvested_units >= 0),
  drop constraint earn_vaults_whole,
  add constraint earn_vaults_whole check (total_shares > 0 or (total_units = 0 and unvested_units = 0));

alter table earn_movements
  add column unvested_units numeric(39, 0) not null default 0,
  drop constraint earn_movements_kind_check,
  add constraint earn_movements_kind_check
    check (kind in ('deposit', 'withdraw', 'withdraw_settled', 'refund', 'harvest', 'vest', 'harvest_ended', 'loss'));

alter table earn_withdrawals
  -- Refusals of the venue in a row.
  add column refusals integer not null default 0 check (refusals >= 0),
  -- The open one of its owner, which later withdrawals join. False: of before this rule, or found on chain after a restore.
  add column takes_more boolean not null default true,
  -- Found on chain after a restore, it may stand for what another one has burned.
  drop constraint earn_withdrawals_shares_check,
  add constraint earn_withdrawals_shares_check check (shares >= 0);
update earn_withdrawals w set takes_more = false
where status in ('queued', 'redeeming') and exists (select 1 from earn_withdrawals n where n.vault_key = w.vault_key
  and n.owner_kind = w.owner_kind and n.owner_id = w.owner_id and n.status in ('queued', 'redeeming') and n.queue_number > w.queue_number);
create unique index earn_withdrawals_one_open on earn_withdrawals (vault_key, owner_kind, owner_id)
  where takes_more and status in ('queued', 'redeeming');

-- Many withdrawals of one vault are redeemed side by side, each by one call.
drop index earn_intents_one_redeem;
create unique index earn_intents_one_redeem on earn_intents (subject_id) where kind = 'redeem' and state in ('queued', 'signed', 'sent', 'unknown');
create index earn_intents_under_way on earn_intents (vault_key) where kind <> 'allow' and state in ('queued', 'signed', 'sent', 'unknown');
-- The place of the withdrawal when it was ordered: it changes when more joins it.
alter table earn_intents add column queue_number bigint;

-- Withdrawals that waited may join each other: one result of several moves.
drop index delayed_moves_one_result;
create unique index delayed_moves_one_result on delayed_moves (result_id) where kind <> 'earn_withdrawal';
create index delayed_moves_of_withdrawal on delayed_moves (result_id) where kind = 'earn_withdrawal';
