/** Which database this is, and how far it has come. One restored from a backup has another place, or goes back in its transactions. */
import { sql } from 'kysely';
import type { Db } from './database.ts';

export interface BooksMark {
  readonly place: string;
  /** Write transactions so far. They only grow, until an older copy is put back. */
  readonly transactions: bigint;
}

export async function readBooksMark(db: Db): Promise<BooksMark> {
  const { rows } = await sql<{ place: string; transactions: string }>`
    select database_place() as place, pg_snapshot_xmax(pg_current_snapshot())::text as transactions`.execute(db);
  const { place = '', transactions = '0' } = rows[0] ?? {};
  return { place, transactions: BigInt(transactions) };
}
