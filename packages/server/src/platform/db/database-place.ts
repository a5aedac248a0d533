/** Which database this is. One restored from a backup has another place, and may lack what was signed before. */
import { sql } from 'kysely';
import type { Db } from './database.ts';

export async function readPlace(db: Db): Promise<string> {
  const { rows } = await sql<{ place: string }>`select database_place() as place`.execute(db);
  return rows[0]?.place ?? '';
}
