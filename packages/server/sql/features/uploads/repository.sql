-- Generated from packages/server/src/features/uploads/repository.ts by `npm run generate`. Do not edit.

-- attach
update "uploads"
set "attached" = $1
where "id" in ($2);
insert into "upload_attachments" ("upload_id", "subject_id")
values ($1, $2)
on conflict do nothing;

-- countLooseBytes
select coalesce(sum(size_bytes), 0)::bigint as "bytes"
from "uploads"
where "attached" = $1 and "state" != $2 and ("agent_id" = $3 or "user_id" = $4 or "wallet" in ($5));

-- deleteUpload
delete from "uploads"
where "id" = $1 and "state" = $2;

-- findSameBytes
select *
from "uploads"
where "sha256" = $1 and "state" = $2 and "media_type" = $3 and ("agent_id" = $4 or "user_id" = $5 or "wallet" in ($6))
order by "created_at"
limit $7;

-- findUpload
select *
from "uploads"
where "id" = $1 and "state" = $2;

-- insertUpload
insert into "uploads" ()
values ()
returning *;

-- listDescribed
select "id", "media_type", "preview_key" is not null as "has_preview"
from "uploads"
where "id" in ($1);

-- listSubjects
select distinct "subject_id"
from "upload_attachments"
where "upload_id" = $1;

-- lockHeldUploads
select *
from "uploads"
where "id" in ($1) and "state" = $2 and ("agent_id" = $3 or "user_id" = $4 or "wallet" in ($5))
order by "id" for update;

-- lockHolders
select pg_advisory_xact_lock(hashtextextended($1, 0));

-- lockUpload
select *
from "uploads"
where "id" = $1 and "state" = $2 for update;

-- markForRemoval
update uploads
set state = 'removing'
where id in ( select id from uploads where not attached and ( (state = 'ready' and created_at < market_now() - interval '7 days') or (state = 'storing' and created_at < market_now() - interval '1 hour')) order by created_at limit $1 for update skip locked)
  and not attached;
select *
from "uploads"
where "state" = $1
order by "created_at"
limit $2;

-- markReady
update "uploads"
set "state" = $1
where "id" = $2 and "state" = $3;

-- markRemoving
update "uploads"
set "state" = $1
where "id" = $2 and "attached" = $3;

-- readUsage
select coalesce(sum(size_bytes), 0)::bigint as "bytes", count(*) as "files"
from "uploads"
where "state" != $1 and ("agent_id" = $2 or "user_id" = $3 or "wallet" in ($4));

-- setPreview
update "uploads"
set "preview_key" = $1, "preview_size_bytes" = $2
where "id" = $3;
