-- Generated from packages/server/src/access/credentials-repository.ts by `npm run generate`. Do not edit.

-- deleteAllSessions
with ended as (delete from sessions returning expires_at) select count(*) filter (where expires_at > market_now())::int as live
from ended;

-- deleteSession
delete from "sessions"
where "token_hash" = $1;

-- deleteSessionsOf
delete from "sessions"
where "chain" = $1 and "wallet" = $2;

-- extendSession
update "sessions"
set "expires_at" = $1
where "token_hash" = $2;

-- findAgentByKey
select asked.n
  , id
  , name
  , active
  , owner_wallet as "recordedOwnerWallet"
  , owner_user_id as "ownerUserId"
  , case
  when owner_proven then owner_wallet end as "ownerWallet"
  , api_key_hash <> all(asked.hashes) as "keyRetired"
  , exists (select 1 from banned_identities b where b.kind = 'ip' and b.value = asked.address)
  or is_person_banned(owner_user_id, owner_wallet) as banned
from json_to_recordset($1::json) as asked (n int, hashes bytea[], address text)
join agents on api_key_hash = any(asked.hashes) or retired_key_hash = any(asked.hashes);

-- findSession
select "wallet", "chain", "proven_on", "by_action", "created_at", "expires_at"
from "sessions"
where "token_hash" = $1 and "expires_at" > $2;

-- insertSession
insert into "sessions" ()
values ();

-- isBanned
select exists ( select 1 from unnest($1::text[], $2::text[]) as i (kind, value) where exists (select 1 from banned_identities b where b.kind = i.kind and b.value = i.value offset 0))
  or exists ( select 1 from unnest($3::text[], $4::text[]) as p (user_id, wallet) where is_person_banned(p.user_id, p.wallet)) as banned;

-- listLinks
select "address", "proven_on"
from "user_wallets"
where "user_id" = $1;

-- releaseSignature
delete from "spent_signatures"
where "digest" = $1;

-- spendSignature
insert into "spent_signatures" ()
values ()
on conflict ("digest") do nothing;
