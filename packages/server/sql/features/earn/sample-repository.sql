-- Generated from packages/server/src/features/earn/sample-repository.ts by `npm run generate`. Do not edit.

-- findEarlierSample
select *
from earn_samples
where vault_key = $1 and at >= market_now() - make_interval(days => $2)
order by at
limit 1;

-- listLatestSamples
select s.*
from earn_vaults v
cross
join lateral ( select * from earn_samples where vault_key = v.key order by at desc limit 1) s;

-- saveSample
insert into "earn_samples" ("at")
values (date_bin($1::interval, market_now(), timestamptz '2020-01-01'))
on conflict ("vault_key", "at") do update
set "price_per_unit" = "excluded"."price_per_unit"
  , "share_price" = "excluded"."share_price"
  , "total_assets" = "excluded"."total_assets"
  , "total_units" = "excluded"."total_units"
  , "free_assets" = "excluded"."free_assets"
  , "paused" = "excluded"."paused"
  , "apr_pct" = "excluded"."apr_pct";

-- thinSamples
delete from earn_samples s
where s.at < market_now() - make_interval(days => $1)
  and exists (select 1 from earn_samples n where n.vault_key = s.vault_key and n.at > s.at and date_trunc('day', n.at, 'UTC') = date_trunc('day', s.at, 'UTC'));

-- not shown: listPoints
