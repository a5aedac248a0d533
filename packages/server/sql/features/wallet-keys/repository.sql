-- Generated from packages/server/src/features/wallet-keys/repository.ts by `npm run generate`. Do not edit.

-- insertAgentWallet
insert into "agent_wallets" ()
values ();

-- insertMissingWallet
insert into "agent_wallets" ()
values ()
on conflict ("agent_id", "kind") do nothing;

-- listAgentWallets
select "agent_id", "kind", "address", "sealed_key"
from "agent_wallets"
where "agent_id" = $1;

-- listAgentsWithoutWallets
select a.id
from agents a
where (select count(*) from agent_wallets w where w.agent_id = a.id) < 2
order by a.id
limit $1;

-- readAgentWallets
select "agent_id", "kind", "address"
from "agent_wallets"
where "agent_id" in ($1);

-- readWalletsOf
select "agent_id", "kind", "address"
from "agent_wallets"
where "agent_id" in ($1);

-- not shown: listAllWallets
