/** When these books were last restored, as far as they know. */
import { sql } from 'kysely';
import type { Db } from './database.ts';

/** Also true for a restore that no process has noticed yet: then the recorded database differs from this one. */
export async function isRestoredSince(db: Db, time: Date): Promise<boolean> {
  const { rows } = await sql<{ restored: boolean }>`
    select restored_at > ${time} or place <> database_place() as restored from known_place`.execute(db);
  return rows[0]?.restored === true;
}

export async function readRestoredAt(db: Db): Promise<Date | undefined> {
  const row = await db.selectFrom('knownPlace').select('restoredAt').executeTakeFirst();
  return row?.restoredAt ?? undefined;
}
