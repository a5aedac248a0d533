-- Generated from packages/server/src/features/moderation/bans-repository.ts by `npm run generate`. Do not edit.

-- deleteBan
delete from "banned_identities"
where "kind" = $1 and "value" = $2
returning *;

-- listBans
select "kind", "value", "reason", date_trunc('milliseconds', banned_identities.created_at) as "created_at"
from "banned_identities"
where (concat_ws('', value, reason) ilike $1) and "kind" = $2
order by date_trunc('milliseconds', banned_identities.created_at) desc, "kind" desc, "value" desc
limit $3 offset $4;
select count(*)::int as "count"
from "banned_identities"
where (concat_ws('', value, reason) ilike $1) and "kind" = $2;

-- saveBan
insert into "banned_identities" ()
values ()
on conflict ("kind", "value") do update
set "reason" = $1
returning *;
