/** Restores a dump into the same database, as `pg_restore --clean` does: neither its identity nor its transaction numbers show it. */
import pg from 'pg';
import type { SharedMoney } from '../money/shared-money.ts';

async function listTables({ database }: SharedMoney): Promise<string[]> {
  const { rows } = await database.pool.query(
    `select c.relname as name from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition`,
  );
  return rows.map(({ name }) => name as string);
}

/** Stores all rows, as pg_dump does. */
export async function dump(shared: SharedMoney): Promise<void> {
  const { pool } = shared.database;
  await pool.query('drop schema if exists saved cascade; create schema saved');
  for (const table of await listTables(shared)) await pool.query(`create table saved."${table}" as table public."${table}"`);
}

type Empty = (client: pg.PoolClient, tables: readonly string[]) => Promise<unknown>;

const truncate: Empty = (client, tables) => client.query(`truncate ${tables.join(', ')}`);

/** Replaces rows and keeps tables, so that only the rows are those of the dump. */
export const deleteRows: Empty = (client, tables) => client.query(tables.map((table) => `delete from ${table}`).join('; '));

const DEADLOCK = '40P01';
const MOST_TRIES = 5;

/** Restores the rows, as pg_restore does. A deadlock with the running process undoes all of it, and an operator starts again. */
export async function putBack(shared: SharedMoney, empty: Empty = truncate): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await putBackOnce(shared, empty);
    } catch (error) {
      if (!(error instanceof pg.DatabaseError) || error.code !== DEADLOCK || tries === MOST_TRIES) throw error;
    }
  }
}

async function putBackOnce(shared: SharedMoney, empty: Empty): Promise<void> {
  const client = await shared.database.pool.connect();
  let isDone = false;
  try {
    await client.query('begin; set local session_replication_role = replica');
    const tables = await listTables(shared);
    await empty(
      client,
      tables.map((table) => `public."${table}"`),
    );
    for (const table of tables) {
      const { rows } = await client.query(
        `select string_agg(quote_ident(attname), ', ') as columns from pg_attribute
         where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
        [`public."${table}"`],
      );
      const columns = rows[0].columns as string;
      await client.query(`insert into public."${table}" (${columns}) overriding system value select ${columns} from saved."${table}"`);
    }
    await client.query('commit');
    isDone = true;
  } finally {
    // A connection in a failed transaction must not serve the next test.
    client.release(!isDone);
  }
}
