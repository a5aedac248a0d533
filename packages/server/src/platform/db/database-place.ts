/** Which database this is. One restored from a backup has another place, and may lack what was signed before. */
import { type RawBuilder, sql } from 'kysely';
import type { Db, Tx } from './database.ts';

export async function readPlace(db: Db): Promise<string> {
  const { rows } = await sql<{ place: string }>`select database_place() as place`.execute(db);
  return rows[0]?.place ?? '';
}

/** Holds for an intent that was queued before the database was restored. Nothing is signed for it until an operator has looked at the chain. */
export function queuedElsewhere(): RawBuilder<boolean> {
  return sql<boolean>`state = 'queued' and place <> database_place()`;
}

/** An operator lets such an intent go on. False when the table has none with this id. */
export async function adoptQueued(tx: Tx, table: string, id: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update ${sql.table(table)} set place = database_place() where id = ${id} and ${queuedElsewhere()}`.execute(tx);
  return numAffectedRows === 1n;
}
