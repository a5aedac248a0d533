/** A whole market in one file: every row, the local chains and the keys of the sandbox. Stored by the former code, opened by a test. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import type pg from 'pg';
import type { Kept } from './former-people.ts';

export interface StoredMarket {
  readonly storedAt: string;
  readonly kept: Kept;
  /** Files by their path in the data folder. */
  readonly files: Readonly<Record<string, string>>;
  /** Rows by table, each as JSON. */
  readonly rows: Readonly<Record<string, readonly string[]>>;
  /** The next number of each sequence. */
  readonly sequences: Readonly<Record<string, string>>;
}

/** Chains and keys; the rest of the folder is the database, or is made anew. */
const FOLDERS = ['keys', 'chains', 'chains/base', 'chains/alt', 'chains/solana'];
const OF_PROCESSES = /^(running\.json|in-use.*)$/;

const TABLES = `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
  and relname <> 'schema_migrations' order by 1`;

export async function storeMarket(pool: pg.Pool, dataDir: string, kept: Kept, file: string): Promise<void> {
  const rows: Record<string, string[]> = {};
  for (const name of await read(pool, TABLES)) {
    const found = await read(pool, `select to_jsonb(t)::text as name from "${name}" t order by 1`);
    if (found.length > 0) rows[name] = found;
  }
  const found = await pool.query<{ name: string; next: string }>(
    `select sequencename as name, coalesce(last_value, 0) + 1 as next from pg_sequences where schemaname = 'public' order by 1`,
  );
  const sequences = Object.fromEntries(found.rows.map(({ name, next }) => [name, next]));
  const stored: StoredMarket = { storedAt: new Date().toISOString(), kept, files: readFolders(dataDir), rows, sequences };
  writeFileSync(file, gzipSync(JSON.stringify(stored), { level: 9 }));
}

export function readStoredMarket(file: string): StoredMarket {
  return JSON.parse(gunzipSync(readFileSync(file)).toString()) as StoredMarket;
}

/** Restores the data folder of a stopped market. */
export async function restoreFiles({ files }: StoredMarket, dataDir: string): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(dataDir, name)), { recursive: true, mode: 0o700 });
    await writeFile(path.join(dataDir, name), content, { mode: 0o600 });
  }
}

/**
 * Fills a database of the former schema. Moves every time on by the market's age, as if it was stopped a moment ago: sessions live and
 * payments can still be contested. The sealed ledger keeps its times.
 */
export async function restoreRows({ rows, sequences, storedAt }: StoredMarket, pool: pg.Pool): Promise<void> {
  const client = await pool.connect();
  try {
    // No trigger and no foreign key is checked: the rows were valid when written.
    await client.query('begin; set local session_replication_role = replica');
    const tables = await read(client, TABLES);
    await client.query(`truncate ${tables.map((name) => `"${name}"`).join(', ')}`);
    for (const [name, stored] of Object.entries(rows)) await insert(client, name, stored);
    for (const sequence of Object.entries(sequences)) await client.query('select setval($1::regclass, $2, false)', sequence);
    await client.query(`do $$ declare c record; begin
      for c in select table_name as t, string_agg(format('%1$I = %1$I + %2$L::interval', column_name, '${ageOf(storedAt)}'), ', ') as moved
        from information_schema.columns where table_schema = 'public' and table_name <> 'schema_migrations' and table_name not like 'ledger_%'
          and data_type = 'timestamp with time zone' and is_generated = 'NEVER' and table_name in (select tablename from pg_tables)
        group by 1 loop execute format('update %I set %s', c.t, c.moved); end loop;
      -- The database is the one in which its intents were ordered, not one restored elsewhere.
      for c in select table_name as t from information_schema.columns where table_schema = 'public' and column_name = 'place' loop
        execute format('update %I set place = database_place()', c.t); end loop; end $$`);
    await client.query('commit');
  } finally {
    client.release();
  }
}

async function insert(client: pg.PoolClient, table: string, stored: readonly string[]): Promise<void> {
  const columns = await read(
    client,
    `select quote_ident(column_name) as name from information_schema.columns where table_schema = 'public' and table_name = '${table}' and is_generated = 'NEVER'`,
  );
  const names = columns.join(', ');
  await client.query(
    `insert into "${table}" (${names}) overriding system value select ${names} from jsonb_populate_recordset(null::"${table}", $1::jsonb)`,
    [`[${stored.join(',')}]`],
  );
}

const ageOf = (storedAt: string): string => `${Date.now() - Date.parse(storedAt)} milliseconds`;

async function read(from: pg.Pool | pg.PoolClient, sql: string): Promise<string[]> {
  return (await from.query<{ name: string }>(sql)).rows.map(({ name }) => name);
}

function readFolders(dataDir: string): Record<string, string> {
  const names = FOLDERS.flatMap((folder) =>
    readdirSync(path.join(dataDir, folder), { withFileTypes: true })
      .filter((entry) => entry.isFile() && !OF_PROCESSES.test(entry.name))
      .map(({ name }) => `${folder}/${name}`),
  );
  return Object.fromEntries(names.map((name) => [name, readFileSync(path.join(dataDir, name), 'utf8')]));
}
