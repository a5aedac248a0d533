-- Generated from packages/server/src/access/authority/links-repository.ts by `npm run generate`. Do not edit.

-- isLinkedSince
select "id"
from "user_wallets"
where "user_id" = $1 and "address" = $2 and "confirmed_at" <= $3;

-- isWatching
select 1
from (select watched.user_id, max(watched.until) as until from ( select $1::text as user_id, 'infinity'::timestamptz as until union all select l.user_id, 'infinity' from user_wallets l where l.address = any($2::text[]) union all select u.user_id, u.undone_at + make_interval(days => $3) from undone_links u where u.address = any($4::text[]) and u.by_account ) watched where watched.user_id is not null group by watched.user_id) w
where w.user_id = $5 and w.until > $6;

-- listLinkedWallets
select "address"
from "user_wallets"
where "user_id" = $1
order by "linked_at", "id";

-- listWatchingWallets
select address
from user_wallets
where user_id = $1
union select address
from undone_links
where user_id = $2 and by_account and undone_at > market_now() - make_interval(days => $3);

-- watchedAccounts
(select watched.user_id, max(watched.until) as until from ( select $1::text as user_id, 'infinity'::timestamptz as until union all select l.user_id, 'infinity' from user_wallets l where l.address = any($2::text[]) union all select u.user_id, u.undone_at + make_interval(days => $3) from undone_links u where u.address = any($4::text[]) and u.by_account ) watched where watched.user_id is not null group by watched.user_id);
