-- Generated from packages/server/src/access/authority/seen-signatures-repository.ts by `npm run generate`. Do not edit.

-- hasMark
select "digest"
from "addressed_signatures"
where "digest" in ($1)
limit $2;

-- insertMarks
insert into addressed_signatures as known (digest, expires_at) select *
from unnest($1::bytea[], $2::timestamptz[])
on conflict (digest) do update
set expires_at = greatest(known.expires_at, excluded.expires_at);

-- noteCustodyTransfer
insert into seen_signatures as seen (digest, call_hash, expires_at, transfer)
values ($1, $2, clock_timestamp() + interval '6 minutes', $3)
on conflict (digest) do update
set transfer = coalesce(seen.transfer, excluded.transfer)
returning transfer = $4 and not exists (select 1 from addressed_signatures where digest = any($5::bytea[])) as "isSame";

-- noteSignature
insert into seen_signatures as seen (digest, call_hash, expires_at)
values ($1, $2, $3)
on conflict (digest) do update
set expires_at = greatest(seen.expires_at, excluded.expires_at)
returning call_hash as "callHash";

-- noteTransfer
with bound as (update seen_signatures set transfer = coalesce(transfer, $1) where digest = $2 and not exists (select 1 from addressed_signatures where digest = any($3::bytea[])) returning transfer = $4 as is_same) select coalesce((select is_same from bound), not exists (select 1 from addressed_signatures where digest = any($5::bytea[]))) as "isSame";
