-- Generated from packages/server/src/features/earn/sample-repository.ts by `npm run generate`. Do not edit.

-- findEarlierSample
select *
from earn_samples
where vault_key = $1 and at >= market_now() - make_interval(days => $2)
order by at
limit 1;

-- insertComputedHistory
insert into earn_samples (vault_key, at, price_per_unit, unit_decimals, share_price, total_assets, total_units, free_assets, apr_pct) select f.vault_key
  , f.at - n * make_interval(hours => $1)
  , floor(f.price_per_unit * g.part)
  , f.unit_decimals
  , floor(f.share_price * g.part)
  , floor(f.total_assets * g.part)
  , f.total_units
  , floor(f.free_assets * g.part)
  , f.apr_pct
from earn_vaults v
cross
join lateral (select * from earn_samples where vault_key = v.key order by at limit 1) f
cross
join generate_series(1, $2::int) n
cross
join lateral (select 1 / (1 + coalesce(f.apr_pct, 0)::numeric / 100 * n * $3::int / 8760) as part) g
where f.at > market_now() - interval '1 day'
on conflict do nothing;

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
