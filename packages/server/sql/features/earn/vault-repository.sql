-- Generated from packages/server/src/features/earn/vault-repository.ts by `npm run generate`. Do not edit.

-- changePosition
insert into earn_positions as p (vault_key, owner_kind, owner_id, shares, principal_micros)
values ($1, $2, $3, $4, $5)
on conflict (vault_key, owner_kind, owner_id) do update
set shares = p.shares + excluded.shares
  , principal_micros = p.principal_micros + excluded.principal_micros
  , updated_at = market_now();

-- countHolders
select vault_key as key, count(*)::int as count
from earn_positions
where shares > 0
group by vault_key;

-- ensureVaults
insert into "earn_vaults" ("key", "venue", "market", "network", "strategy", "venue_address")
values ($1, $2, $3, $4, $5, $6)
on conflict ("key") do nothing;
select "v".*
  , ( select (extract(epoch from market_now()) * 1000)::bigint || ';' || string_agg(concat_ws(' ', h.id, h.units, h.vested_units, (extract(epoch from h.began_at) * 1000)::bigint, (extract(epoch from h.ends_at) * 1000)::bigint), ';' order by h.id) from earn_harvests h where h.vault_key = v.key and h.ended_at is null) as "accruing"
from "earn_vaults" as "v"
order by "v"."key";

-- findPosition
select *
from "earn_positions"
where "vault_key" = $1 and "owner_kind" = $2 and "owner_id" = $3;

-- findVault
select "v".*
  , ( select (extract(epoch from market_now()) * 1000)::bigint || ';' || string_agg(concat_ws(' ', h.id, h.units, h.vested_units, (extract(epoch from h.began_at) * 1000)::bigint, (extract(epoch from h.ends_at) * 1000)::bigint), ';' order by h.id) from earn_harvests h where h.vault_key = v.key and h.ended_at is null) as "accruing"
from "earn_vaults" as "v"
where "v"."key" = $1;

-- insertEarnMovement
insert into "earn_movements" ("subject_id", "owner_kind", "owner_id")
values ($1, $2, $3);

-- listOwners
select "owner_kind", "owner_id"
from "earn_positions"
where "vault_key" = $1;

-- listPositions
select p.*, a.name as agent_name
from unnest($1::text[], $2::text[]) as o (kind, id)
join earn_positions p on p.owner_kind = o.kind and p.owner_id = o.id
left
join agents a on p.owner_kind = 'agent' and a.id = p.owner_id
where p.shares > 0
order by p.vault_key, p.owner_kind, p.owner_id;

-- listVaults
select "v".*
  , ( select (extract(epoch from market_now()) * 1000)::bigint || ';' || string_agg(concat_ws(' ', h.id, h.units, h.vested_units, (extract(epoch from h.began_at) * 1000)::bigint, (extract(epoch from h.ends_at) * 1000)::bigint), ';' order by h.id) from earn_harvests h where h.vault_key = v.key and h.ended_at is null) as "accruing"
from "earn_vaults" as "v"
order by "v"."key";

-- lockVault
select *
from "earn_vaults"
where "key" = $1 for update;
select (extract(epoch from market_now()) * 1000)::bigint::text as now
  , ( select (extract(epoch from market_now()) * 1000)::bigint || ';' || string_agg(concat_ws(' ', h.id, h.units, h.vested_units, (extract(epoch from h.began_at) * 1000)::bigint, (extract(epoch from h.ends_at) * 1000)::bigint), ';' order by h.id) from earn_harvests h where h.vault_key = v.key and h.ended_at is null) as text
from earn_vaults v
where v.key = $1;

-- reducePosition
update earn_positions
set shares = shares - $1, principal_micros = principal_micros - $2, updated_at = market_now()
where vault_key = $3 and owner_kind = $4 and owner_id = $5;

-- setDepositsOpen
update "earn_vaults"
set "deposits_open" = $1, "version" = version + 1
where "key" = $2;

-- setImpaired
update "earn_vaults"
set "units_missing" = $1, "impaired_at" = coalesce(impaired_at, market_now())
where "key" = $2 and "version" = $3 and "units_missing" <> $4;

-- writeBook
update "earn_vaults"
set "total_shares" = $1, "total_units" = $2, "queued_units" = $3, "unvested_units" = $4, "version" = version + 1
where "key" = $5;

-- not shown: bookOf
