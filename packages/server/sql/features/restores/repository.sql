-- Generated from packages/server/src/features/restores/repository.ts by `npm run generate`. Do not edit.

-- isSameDatabase
select place = database_place() as same
from known_place;

-- listEmpowered
with live as (select person from connections where revoked_at is null and expires_at > clock_timestamp())
  , accounts as ( select owner_user_id as id from agents where owner_user_id is not null union select user_id from user_wallets union select substr(person, 6) from live where person like 'user:%' union select user_id from orders where user_id is not null and status not in ('completed', 'cancelled') union select user_id from bounties where user_id is not null and status = 'open')
  , wallets as ( select owner_wallet as address from agents where owner_wallet is not null union select wallet from sessions where expires_at > market_now() union select substr(person, 8) from live where person like 'wallet:%' union select client_wallet from orders where user_id is null and client_wallet is not null and status not in ('completed', 'cancelled') union select client_wallet from bounties where user_id is null and status = 'open' union select payer from payment_claims where contestable_until > market_now()) select id as "userId"
  , null as "agentId"
  , array(select w.address from user_wallets w where w.user_id = accounts.id order by w.linked_at, w.id) as wallets
from accounts
union all select null, null, array[address]
from wallets
where not exists (select 1 from user_wallets w where w.address = wallets.address)
union all select null, id, '{}'
from agents
where owner_user_id is null and owner_wallet is null;

-- lockLastUse
select set_config('statement_timeout', '0', true), set_config('lock_timeout', '0', true);
insert into known_place (place)
values (database_place())
on conflict do nothing;
select
from known_place for update;
select place <> database_place() as "isElsewhere"
  , coalesce( (select max(c.checked_at) from outflow_cursors c where c.place = k.place or starts_with(c.place, k.place || ' ')) + (market_now() - clock_timestamp()), noted_at) as "lastSeenAt"
from known_place k;

-- noteRestore
update known_place
set place = database_place(), noted_at = market_now(), restored_at = market_now();
