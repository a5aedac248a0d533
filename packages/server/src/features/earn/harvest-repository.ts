/** The SQL of harvests: gains that accrue to the holders over time. */
import type { Harvest } from '@market/contract';
import { type RawBuilder, sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/database.ts';

const milliseconds = (time: RawBuilder<unknown>) => sql`(extract(epoch from ${time}) * 1000)::bigint`;
const timeOf = (at: number) => sql<Date>`to_timestamp(${at}::bigint / 1000.0)`;

/** Now and the open harvests of vault `v`, as one text for `readHarvests`. Null without harvests. */
export const harvestsOfVault = sql<string | null>`(
  select ${milliseconds(sql`market_now()`)} || ';' || string_agg(concat_ws(' ', h.id, h.units, h.vested_units, ${milliseconds(sql`h.began_at`)},
    ${milliseconds(sql`h.ends_at`)}), ';' order by h.id)
  from earn_harvests h where h.vault_key = v.key and h.ended_at is null)`;

export interface Accruing {
  readonly harvests: readonly Harvest[];
  readonly now: number;
}

export function readHarvests(text: string): Accruing {
  const [now = '0', ...rows] = text.split(';');
  const harvests = rows.map((row) => {
    const [id = '', units = '0', vestedUnits = '0', beganAt = '0', endsAt = '0'] = row.split(' ');
    return { id, units: BigInt(units), vestedUnits: BigInt(vestedUnits), beganAt: Number(beganAt), endsAt: Number(endsAt) };
  });
  return { harvests, now: Number(now) };
}

export async function listHarvests(db: Db, vaultKey: string): Promise<Accruing> {
  const { rows } = await sql<{ now: string; text: string | null }>`
    select ${milliseconds(sql`market_now()`)}::text as now, ${harvestsOfVault} as text from earn_vaults v where v.key = ${vaultKey}`.execute(
    db,
  );
  const [{ now, text } = { now: '0', text: null }] = rows;
  return readHarvests(text ?? now);
}

export async function insertHarvest(
  tx: Tx,
  vaultKey: string,
  { units, beganAt, endsAt }: Pick<Harvest, 'units' | 'beganAt' | 'endsAt'>,
): Promise<void> {
  await tx
    .insertInto('earnHarvests')
    .values({ vaultKey, foundUnits: units, units, beganAt: timeOf(beganAt), endsAt: timeOf(endsAt), endedAt: null })
    .execute();
}

/** The vault must be locked. A harvest that accrued wholly has ended. */
export async function writeHarvests(tx: Tx, harvests: readonly Harvest[]): Promise<void> {
  for (const { id, units, vestedUnits, beganAt, endsAt } of harvests)
    await tx
      .updateTable('earnHarvests')
      .set({
        ...{ units, vestedUnits, beganAt: timeOf(beganAt), endsAt: timeOf(endsAt) },
        endedAt: units === vestedUnits ? sql<Date>`market_now()` : null,
      })
      .where('id', '=', BigInt(id))
      .execute();
}

/** Ends all harvests when nobody holds shares: nobody owns what has not accrued. */
export async function endHarvests(tx: Tx, vaultKey: string): Promise<void> {
  await tx
    .updateTable('earnHarvests')
    .set({ units: sql`vested_units`, endedAt: sql`market_now()` })
    .where('vaultKey', '=', vaultKey)
    .where('endedAt', 'is', null)
    .execute();
}
