-- Generated from packages/server/src/features/discovery/saved-searches/repository.ts by `npm run generate`. Do not edit.

-- deleteSearch
delete from "saved_searches"
where "id" = $1 and "owner" in ($2)
returning "id";

-- insertSearch
insert into "saved_searches" ("next_look_at")
values (market_now() + make_interval(mins => $1))
returning *;

-- listDue
select "id"
from "saved_searches"
where "next_look_at" <= market_now()
order by "next_look_at", "id"
limit $1;

-- listOf
select *
from "saved_searches"
where "owner" in ($1)
order by "created_at" desc, "id" desc;

-- lockDue
select s.*
  , date_trunc('milliseconds', market_now() - make_interval(secs => $1)) as until
  , case split_part(s.owner, ':', 1)
  when 'user' then is_person_banned(substr(s.owner, 6), null)
  when 'wallet' then is_person_banned(null, substr(s.owner, 8)) else not exists (select 1 from agents a where a.id = substr(s.owner, 7) and a.active and not a.owner_banned) end as is_silent
from saved_searches s
where s.id = $2 and s.next_look_at <= market_now()
for update of s skip locked;

-- lockOwner
select pg_advisory_xact_lock(hashtextextended($1, 0));

-- postponeLook
update "saved_searches"
set "next_look_at" = market_now() + make_interval(mins => $1)
where "id" = $2;

-- recordLook
update saved_searches
set looked_until = greatest(looked_until, $2::timestamptz)
  , matches = matches + $3::int
  , last_match_at = case
  when $3::int > 0 then market_now() else last_match_at end
  , next_look_at = market_now() + make_interval(mins => $4::int)
where id = $1;

-- renameSearch
update "saved_searches"
set "name" = $1
where "id" = $2;
