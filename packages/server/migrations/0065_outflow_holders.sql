-- why: after a restore every holder of money is compared with its chain before anything leaves it, not the treasuries alone

-- A holder is an account that pays: a treasury (its network), an agent's wallet, the vault of creator fees, the units of a vault of Earn.
alter table outflow_cursors rename column caip2 to holder;

-- What left an agent's wallet or the vault of creator fees, as the chain shows it, and the books did not know.
create table found_outflows (
  holder text not null,
  network text not null,
  reference text not null,
  position integer not null,
  -- As the chain names its intent; null when it names none.
  intent_key text,
  asset text not null check (asset in ('usdc', 'native')),
  destination text,
  amount numeric(78, 0) not null check (amount >= 0),
  -- The movement or payout that it turned out to be.
  taken_by text,
  found_at timestamptz not null default market_now(),
  primary key (holder, reference, position)
);
create index found_outflows_open on found_outflows (intent_key) where taken_by is null and intent_key is not null;

-- The comparison looks transfers up by what the chain calls them.
create index wallet_attempts_reference on wallet_attempts (reference);
create index wallet_movements_reference on wallet_movements (reference) where reference is not null;

-- An intent that lost books may have sent is found on chain by its name. Where it was ordered decides nothing any more.
alter table wallet_movements drop column place;
alter table creator_fee_payouts drop column place;
alter table earn_intents drop column place;
