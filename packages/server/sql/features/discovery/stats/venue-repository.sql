-- Generated from packages/server/src/features/discovery/stats/venue-repository.ts by `npm run generate`. Do not edit.

-- listVenueHoldings
select v.key
  , v.network
  , floor((v.total_units + v.queued_units + v.unvested_units) * s.price_per_unit / (1e12 * power(10::numeric, s.unit_decimals)))::bigint as owed_micros
  , floor(v.queued_units * s.price_per_unit / (1e12 * power(10::numeric, s.unit_decimals)))::bigint as waiting_micros
  , floor((v.total_units + v.queued_units + v.unvested_units - v.units_missing) * s.price_per_unit / (1e12 * power(10::numeric, s.unit_decimals)))::bigint as held_micros
  , s.at as read_at
from earn_vaults v
cross
join lateral (select * from earn_samples where vault_key = v.key order by at desc limit 1) s
where v.total_units + v.queued_units > 0
order by v.key;
