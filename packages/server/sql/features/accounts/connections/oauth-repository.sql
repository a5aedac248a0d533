-- Generated from packages/server/src/features/accounts/connections/oauth-repository.ts by `npm run generate`. Do not edit.

-- consumeRecord
update oauth_records
set consumed_at = clock_timestamp()
where lookup_hash = any($1::bytea[]) and consumed_at is null;

-- deleteRecord
delete from oauth_records
where lookup_hash = any($1::bytea[]);

-- dropAllRecords
delete from "oauth_records";

-- dropRecordsOf
delete from "oauth_records"
where "connection_id" = $1;

-- findClient
select metadata
from oauth_clients
where id = $1 and expires_at > clock_timestamp();

-- findRecord
select id, sealed, consumed_at
from oauth_records
where lookup_hash = any($1::bytea[]) and expires_at > clock_timestamp();

-- findSigningKey
select "id", "sealed_key"
from "oauth_signing_keys"
order by "created_at"
limit $1;

-- forgetExpired
delete from oauth_records
where expires_at < clock_timestamp();
delete from oauth_clients
where expires_at < clock_timestamp();

-- insertRecord
insert into oauth_records (id, kind, lookup_hash, sealed, connection_id, expires_at)
values ($1, $2, $3, $4, $5, clock_timestamp() + make_interval(secs => $6));

-- insertSigningKey
insert into "oauth_signing_keys" ("id", "sealed_key")
values ($1, $2);

-- keepClient
update oauth_clients
set expires_at = greatest(expires_at, clock_timestamp() + make_interval(days => $1))
where id = $2;

-- lockRecord
select id, sealed, consumed_at
from oauth_records
where lookup_hash = any($1::bytea[]) and expires_at > clock_timestamp() for update;

-- lockSigningKey
select pg_advisory_xact_lock(hashtextextended('oauth-signing-key', 0));

-- replaceRecord
update oauth_records
set sealed = $1, expires_at = clock_timestamp() + make_interval(secs => $2)
where id = $3;

-- rewriteRecord
update oauth_records
set sealed = $1
where id = $2;

-- saveClient
insert into oauth_clients (id, metadata, expires_at)
values ($1, $2, clock_timestamp() + make_interval(hours => $3))
on conflict (id) do update
set metadata = excluded.metadata;
