-- Generated from packages/server/src/access/authority/spendable-wallets-repository.ts by `npm run generate`. Do not edit.

-- listConfirmedWallets
select address
from user_wallets
where user_id = $1
  and confirmed_at is not null
  and (proven_on is null or $2::text is null or exists (select 1 from unnest(proven_on) place where split_part(place, '=', 1) = $3));

-- listWalletsForAgent
select address, 'server_wallet' as by
from agent_wallets
where agent_id = $1
union all select address, 'allowed'
from agent_payers
where agent_id = $2 and (proven_on is null or $3 = any (proven_on));
