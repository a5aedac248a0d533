/** The SQL of the gate: why outflow is closed, how far each holder was compared, and what was found on chain. */
import { sql } from 'kysely';
import type { Db, Tx } from '../../../platform/db/database.ts';

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
  /** False: the database was restored since the last comparison of this holder. */
  readonly isHere: boolean;
  /** Real seconds since the last comparison. */
  readonly age: number;
}

/**
 * A row stores the identity of its database and the transaction that wrote it. A row put back from a dump, even into the same database, was
 * written by another transaction (`xmin`) than it stores. Rows of earlier versions store no transaction.
 */
const isHere = sql<boolean>`place in (database_place(), database_place() || ' ' || xmin::text)`;

export async function findHolderCursor(db: Db, holder: string): Promise<HolderCursor | undefined> {
  return await db
    .selectFrom('outflowCursors')
    .select(['cursor', isHere.as('isHere'), sql<number>`extract(epoch from clock_timestamp() - checked_at)::float8`.as('age')])
    .where('holder', '=', holder)
    .executeTakeFirst();
}

/** Holders whose last comparison was before a restore. */
export async function listPutBack(db: Db): Promise<string[]> {
  const rows = await db.selectFrom('outflowCursors').select('holder').where(sql<boolean>`not (${isHere})`).execute();
  return rows.map(({ holder }) => holder);
}

export async function writeHolderCursor(db: Db, holder: string, cursor: string, place: string): Promise<void> {
  const row = {
    cursor,
    place: sql<string>`${place} || ' ' || pg_current_xact_id()::xid::text`,
    // Real time, in which signed bytes live; a sandbox moves the market's clock.
    checkedAt: sql<Date>`clock_timestamp()`,
  };
  await db
    .insertInto('outflowCursors')
    .values({ holder, ...row })
    .onConflict((conflict) => conflict.column('holder').doUpdateSet(row))
    .execute();
}

/** Records that a running process noticed a restore. Processes that start later cannot notice it, so they read this record. */
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

/** The transfer that the chain shows under the name of this intent, unless an intent took it. */
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

/** Takes all findings of one transaction: a mint may have another name in these books than in the lost ones. */
export async function takeFoundIn(tx: Tx, holder: string, reference: string, takenBy: string): Promise<void> {
  await tx
    .updateTable('foundOutflows')
    .set({ takenBy })
    .where('holder', '=', holder)
    .where('reference', '=', reference)
    .where('takenBy', 'is', null)
    .execute();
}
