-- Generated from packages/server/src/features/earn/harvest-repository.ts by `npm run generate`. Do not edit.

-- endHarvests
update "earn_harvests"
set "units" = vested_units, "ended_at" = market_now()
where "vault_key" = $1 and "ended_at" is null;

-- harvestsOfVault
( select (extract(epoch from market_now()) * 1000)::bigint || ';' || string_agg(concat_ws(' ', h.id, h.units, h.vested_units, (extract(epoch from h.began_at) * 1000)::bigint, (extract(epoch from h.ends_at) * 1000)::bigint), ';' order by h.id) from earn_harvests h where h.vault_key = v.key and h.ended_at is null);

-- insertHarvest
insert into "earn_harvests" ("vault_key", "found_units", "units", "began_at", "ends_at", "ended_at")
values ($1, $2, $3, to_timestamp($4::bigint / 1000.0), to_timestamp($5::bigint / 1000.0), $6);

-- listHarvests
select (extract(epoch from market_now()) * 1000)::bigint::text as now
  , ( select (extract(epoch from market_now()) * 1000)::bigint || ';' || string_agg(concat_ws(' ', h.id, h.units, h.vested_units, (extract(epoch from h.began_at) * 1000)::bigint, (extract(epoch from h.ends_at) * 1000)::bigint), ';' order by h.id) from earn_harvests h where h.vault_key = v.key and h.ended_at is null) as text
from earn_vaults v
where v.key = $1;

-- not shown: readHarvests, writeHarvests
