/**
 * Identifies this database and its progress. In a database restored from a backup, the identity differs, the transaction count is lower, or
 * the rows have new writers.
 */
import { sql } from 'kysely';
import type { Db } from './database.ts';

export interface BooksMark {
  readonly place: string;
  /** Number of write transactions. It only grows, unless an older copy of the server's files is restored. */
  readonly transactions: bigint;
  /** The last posting, and the last event. */
  readonly posting: LastRow | null;
  readonly event: LastRow | null;
}

/** A row that is never deleted, and that only closings change. A restore from a dump gives it a new writer, even in the same database. */
interface LastRow {
  readonly id: string;
  /** The transaction that wrote the row. */
  readonly writer: string;
}

/** Cheap enough to run before every signature: it reads the ends of two indexes. */
export async function readBooksMark(db: Db): Promise<BooksMark> {
  const { rows } = await sql<BooksMark>`
    select database_place() as place, pg_snapshot_xmax(pg_current_snapshot())::text::bigint as transactions,
      (select json_build_object('id', id::text, 'writer', xmin::text) from ledger_transfers order by id desc limit 1) as posting,
      (select json_build_object('id', id::text, 'writer', xmin::text) from events order by id desc limit 1) as event`.execute(db);
  const [mark] = rows;
  if (mark === undefined) throw new Error('a statement without a table has one row');
  return mark;
}

/**
 * Throws in restored books until a process has noticed the restore and moved their deadlines. Otherwise a process that kept running during
 * the restore would let timers overrule what people had done in time.
 */
export async function requireKnownDatabase(tx: Db): Promise<void> {
  const { rows } = await sql`select from known_place where place <> database_place()`.execute(tx);
  if (rows.length > 0) throw new Error('these books were restored, and no process has started in them since: their timers wait');
}

/** Whether a backup was restored between the two readings. */
export async function wasPutBack(db: Db, before: BooksMark, now: BooksMark): Promise<boolean> {
  if (now.place !== before.place || now.transactions < before.transactions) return true;
  const { posting, event } = before;
  if (isSame(posting, now.posting) && isSame(event, now.event)) return false;
  const { rows } = await sql<{ has: boolean }>`
    select (${posting === null} or exists (
        select from ledger_transfers where id = ${posting?.id ?? null}::bigint and xmin::text = ${posting?.writer ?? null}))
      and (${event === null} or exists (
        select from events where id = ${event?.id ?? null}::bigint
          and (xmin::text = ${event?.writer ?? null} or xmin::text in (select writer from closing_transactions)))) as has`.execute(db);
  return rows[0]?.has !== true;
}

function isSame(one: LastRow | null, other: LastRow | null): boolean {
  return one?.id === other?.id && one?.writer === other?.writer;
}
