/** The SQL of samples: price, rate and size of venues over time. */
import type { EarnPeriod } from '@market/contract';
import { earnLimits, earnPeriods } from '@market/contract';
import { type Selectable, sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';
import type { EarnSamplesTable } from '../../platform/db/schema.generated.ts';
import { type Exact, exact } from './exact-rows.ts';

export type SampleRow = Exact<Selectable<EarnSamplesTable>>;

/** Keeps one sample per vault and quarter of an hour; a later one replaces it. */
export async function saveSample(db: Db, sample: Omit<SampleRow, 'at'>): Promise<void> {
  await db
    .insertInto('earnSamples')
    .values({
      ...sample,
      at: sql<Date>`date_bin(${`${earnLimits.sampleMinutes} minutes`}::interval, market_now(), timestamptz '2020-01-01')`,
    })
    .onConflict((conflict) =>
      conflict.columns(['vaultKey', 'at']).doUpdateSet((row) => ({
        pricePerUnit: row.ref('excluded.pricePerUnit'),
        sharePrice: row.ref('excluded.sharePrice'),
        totalAssets: row.ref('excluded.totalAssets'),
        totalUnits: row.ref('excluded.totalUnits'),
        freeAssets: row.ref('excluded.freeAssets'),
        paused: row.ref('excluded.paused'),
        aprPct: row.ref('excluded.aprPct'),
      })),
    )
    .execute();
}

/** The newest sample of each vault. */
export async function listLatestSamples(db: Db): Promise<ReadonlyMap<string, SampleRow>> {
  const { rows } = await sql<Selectable<EarnSamplesTable>>`
    select s.* from earn_vaults v cross join lateral (
      select * from earn_samples where vault_key = v.key order by at desc limit 1) s`.execute(db);
  return new Map(rows.map((row) => [row.vaultKey, exact(row)]));
}

/** The first sample within so many days, to compute a rate that the venue does not state. */
export async function findEarlierSample(db: Db, vaultKey: string, days: number): Promise<SampleRow | undefined> {
  const { rows } = await sql<Selectable<EarnSamplesTable>>`
    select * from earn_samples where vault_key = ${vaultKey} and at >= market_now() - make_interval(days => ${days}) order by at limit 1`.execute(
    db,
  );
  return rows[0] && exact(rows[0]);
}

/** The last sample of each step, oldest first. */
export async function listPoints(db: Db, vaultKey: string, period: EarnPeriod): Promise<SampleRow[]> {
  const { hours, stepMinutes } = earnPeriods[period];
  const { rows } = await sql<Selectable<EarnSamplesTable>>`
    select * from (
      select distinct on (bin) s.*, date_bin(make_interval(mins => ${stepMinutes}), s.at, timestamptz '2020-01-01') as bin
      from earn_samples s where s.vault_key = ${vaultKey} and s.at > market_now() - make_interval(hours => ${hours})
      order by bin, s.at desc) points order by at`.execute(db);
  return rows.map((row) => exact(row));
}

/** Deletes old samples except the last of each day. */
export async function thinSamples(db: Db): Promise<void> {
  await sql`
    delete from earn_samples s where s.at < market_now() - make_interval(days => ${earnLimits.fineSampleDays})
      and exists (select 1 from earn_samples n where n.vault_key = s.vault_key and n.at > s.at
        and date_trunc('day', n.at, 'UTC') = date_trunc('day', s.at, 'UTC'))`.execute(db);
}

const STEP_HOURS = 8;
const STEPS = 90;

/** For demos: a month of computed samples before the first one of each new vault, at the rate that it stated. Sizes follow the price. */
export async function insertComputedHistory(db: Db): Promise<void> {
  await sql`
    insert into earn_samples (vault_key, at, price_per_unit, unit_decimals, share_price, total_assets, total_units, free_assets, apr_pct)
    select f.vault_key, f.at - n * make_interval(hours => ${STEP_HOURS}), floor(f.price_per_unit * g.part), f.unit_decimals,
           floor(f.share_price * g.part), floor(f.total_assets * g.part), f.total_units, floor(f.free_assets * g.part), f.apr_pct
    from earn_vaults v
    cross join lateral (select * from earn_samples where vault_key = v.key order by at limit 1) f
    cross join generate_series(1, ${STEPS}::int) n
    cross join lateral (select 1 / (1 + coalesce(f.apr_pct, 0)::numeric / 100 * n * ${STEP_HOURS}::int / 8760) as part) g
    where f.at > market_now() - interval '1 day'
    on conflict do nothing`.execute(db);
}
