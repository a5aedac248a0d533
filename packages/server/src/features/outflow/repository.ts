/** The SQL of the gate: why outflow is closed, how far each holder was compared, and what was found on chain. */
import { sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/database.ts';

/** Why nothing leaves now; null when outflow is open. */
export async function readOutflowClosed(db: Db): Promise<string | null> {
  const row = await db.selectFrom('outflowGate').select('reason').executeTakeFirst();
  return row?.reason ?? null;
}

/** False when it was closed before. */
export async function closeOutflow(db: Db, reason: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('outflowGate')
    .set({ reason, changedAt: sql`market_now()` })
    .where('reason', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

export async function openOutflow(db: Db): Promise<void> {
  await db.updateTable('outflowGate').set({ reason: null, changedAt: sql`market_now()` }).where('reason', 'is not', null).execute();
}

export interface HolderCursor {
  readonly cursor: string;
  /** Written in these books. False: they were put back since, and this holder was not compared after that. */
  readonly isHere: boolean;
  /** Real seconds since the last comparison. */
  readonly age: number;
}

/**
 * A row names its place and the transaction that wrote it. Put back from a dump, even into the same database, it has another writer (`xmin`)
 * than it names. Rows of earlier versions name none.
 */
const isHere = sql<boolean>`place in (database_place(), database_place() || ' ' || xmin::text)`;

export async function findHolderCursor(db: Db, holder: string): Promise<HolderCursor | undefined> {
  return await db
    .selectFrom('outflowCursors')
    .select(['cursor', isHere.as('isHere'), sql<number>`extract(epoch from clock_timestamp() - checked_at)::float8`.as('age')])
    .where('holder', '=', holder)
    .executeTakeFirst();
}

/** The holders that were compared before the books were put back, and not since. */
export async function listPutBack(db: Db): Promise<string[]> {
  const rows = await db.selectFrom('outflowCursors').select('holder').where(sql<boolean>`not (${isHere})`).execute();
  return rows.map(({ holder }) => holder);
}

export async function writeHolderCursor(db: Db, holder: string, cursor: string, place: string): Promise<void> {
  const row = {
    cursor,
    place: sql<string>`${place} || ' ' || pg_current_xact_id()::xid::text`,
    // Not the market's clock, which a sandbox moves: signed bytes live in real time.
    checkedAt: sql<Date>`clock_timestamp()`,
  };
  await db
    .insertInto('outflowCursors')
    .values({ holder, ...row })
    .onConflict((conflict) => conflict.column('holder').doUpdateSet(row))
    .execute();
}

/** A process saw that these books were put back. Those that start later cannot see it, and ask here. */
export async function markPutBack(db: Db): Promise<void> {
  await db.updateTable('outflowCursors').set({ place: 'put back' }).execute();
}

export interface FoundOutflow {
  readonly holder: string;
  readonly network: string;
  readonly reference: string;
  readonly position: number;
  readonly intentKey: string | null;
  readonly asset: 'usdc' | 'native';
  readonly destination: string | null;
  readonly amount: bigint;
}

/** False when it was recorded before. */
export async function insertFound(tx: Tx, { amount, ...found }: FoundOutflow, takenBy: string | null): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('foundOutflows')
    .values({ ...found, amount, takenBy })
    .onConflict((conflict) => conflict.columns(['holder', 'reference', 'position']).doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

/** What the chain shows under the name of this intent, and no intent has taken. */
export async function findFound(db: Db, holder: string, intentKey: string): Promise<FoundOutflow | undefined> {
  const row = await db
    .selectFrom('foundOutflows')
    .selectAll()
    .where('holder', '=', holder)
    .where('intentKey', '=', intentKey)
    .where('takenBy', 'is', null)
    .executeTakeFirst();
  return row && { ...row, amount: BigInt(row.amount) };
}

/** False when another intent took it. */
export async function takeFound(
  tx: Tx,
  { holder, reference, position }: Pick<FoundOutflow, 'holder' | 'reference' | 'position'>,
  takenBy: string,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('foundOutflows')
    .set({ takenBy })
    .where('holder', '=', holder)
    .where('reference', '=', reference)
    .where('position', '=', position)
    .where('takenBy', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** For what an intent made: a mint has one name in these books, and may have had another in lost ones. */
export async function takeFoundIn(tx: Tx, holder: string, reference: string, takenBy: string): Promise<void> {
  await tx
    .updateTable('foundOutflows')
    .set({ takenBy })
    .where('holder', '=', holder)
    .where('reference', '=', reference)
    .where('takenBy', 'is', null)
    .execute();
}
