-- why: a restored database gives an old key the agent that its owner had claimed, and an old payout address the payouts that its owner had moved

-- When the first owner came, if these books were restored after the agent was registered: another owner may have come in the lost books.
alter table agents add column owned_since_restore timestamptz(3);
-- When the owner signed this address last. Null: never, or before this migration. After a restore only a newer signature counts at once.
alter table agents add column payout_wallet_signed_at timestamptz(3);
alter table agents add column payout_address_base_signed_at timestamptz(3);

-- A wallet that owns an agent since a restore waits, too: `wallet:…`.
alter table delayed_moves drop constraint delayed_moves_owner_check;
alter table delayed_moves add constraint delayed_moves_owner_check check (owner like 'user:%' or owner like 'wallet:%');
