/** A dump that is put back into the same database, as `pg_restore --clean` does: place and number of transactions show nothing. */
import type pg from 'pg';
import type { SharedMoney } from '../money/shared-money.ts';

async function listTables({ database }: SharedMoney): Promise<string[]> {
  const { rows } = await database.pool.query(
    `select c.relname as name from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition`,
  );
  return rows.map(({ name }) => name as string);
}

/** What pg_dump writes. */
export async function dump(shared: SharedMoney): Promise<void> {
  const { pool } = shared.database;
  await pool.query('drop schema if exists saved cascade; create schema saved');
  for (const table of await listTables(shared)) await pool.query(`create table saved."${table}" as table public."${table}"`);
}

type Empty = (client: pg.PoolClient, tables: readonly string[]) => Promise<unknown>;

const truncate: Empty = (client, tables) => client.query(`truncate ${tables.join(', ')}`);

/** Rows are exchanged, tables stay: only what the rows say has gone back. */
export const deleteRows: Empty = (client, tables) => client.query(tables.map((table) => `delete from ${table}`).join('; '));

/** What pg_restore leaves: the old rows in the same database. */
export async function putBack(shared: SharedMoney, empty: Empty = truncate): Promise<void> {
  const client = await shared.database.pool.connect();
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
  } finally {
    client.release();
  }
}
