/** The SQL of what venues said over time. */
import type { EarnPeriod } from '@market/contract';
import { earnLimits, earnPeriods } from '@market/contract';
import { type Selectable, sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';
import type { EarnSamplesTable } from '../../platform/db/schema.generated.ts';
import { type Exact, exact } from './exact-units.ts';

export type SampleRow = Exact<Selectable<EarnSamplesTable>>;

/** One per vault and quarter of an hour; a second one of the same quarter replaces it. */
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

/** The newest of each vault. */
export async function listLatestSamples(db: Db): Promise<ReadonlyMap<string, SampleRow>> {
  const { rows } = await sql<Selectable<EarnSamplesTable>>`
    select s.* from earn_vaults v cross join lateral (
      select * from earn_samples where vault_key = v.key order by at desc limit 1) s`.execute(db);
  return new Map(rows.map((row) => [row.vaultKey, exact(row)]));
}

/** The price of a unit a while ago, to tell a rate that the venue itself does not state. */
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

/** Keeps the last sample of each day of those that are old. */
export async function thinSamples(db: Db): Promise<void> {
  await sql`
    delete from earn_samples s where s.at < market_now() - make_interval(days => ${earnLimits.fineSampleDays})
      and exists (select 1 from earn_samples n where n.vault_key = s.vault_key and n.at > s.at
        and date_trunc('day', n.at, 'UTC') = date_trunc('day', s.at, 'UTC'))`.execute(db);
}
