-- why: a contract wallet may have another holder on each network, so its link counts where the contract agreed to it

-- As in sessions: `base-mainnet=eip155:8453`. Null for keys, which are one wallet on every network.
alter table user_wallets add column proven_on text[] check (cardinality(proven_on) > 0);
