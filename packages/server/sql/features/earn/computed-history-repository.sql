-- Generated from packages/server/src/features/earn/computed-history-repository.ts by `npm run generate`. Do not edit.

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
