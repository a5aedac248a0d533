/** Versions of tables on a real PostgreSQL: exact at commit, and writers never wait for each other. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { createTestDatabase, type TestDatabase } from '../../../../../test/harness/database.ts';
import { createVersionReader, type DataVersions, type VersionedTable, type VersionReader, versionedTables } from './data-versions.ts';

let database: TestDatabase;
let pool: pg.Pool;
let reader: VersionReader;
before(async () => {
  database = await createTestDatabase();
  pool = new pg.Pool({ ...database.connection, max: 60 });
  reader = createVersionReader(pool);
});
after(async () => {
  await pool.end();
  await database.drop();
});

const PROFILE = `insert into wallet_profiles (wallet, display_name) values ($1, 'Ada') on conflict (wallet) do update set display_name = 'Bea'`;
const changes = async (...tables: VersionedTable[]): Promise<number> => (await reader.read()).changesOf(tables);
const connect = async (begin = 'begin'): Promise<pg.PoolClient> => {
  const client = await pool.connect();
  await client.query(begin);
  return client;
};
const end = async (client: pg.PoolClient, how: 'commit' | 'rollback'): Promise<void> => {
  await client.query(how);
  client.release();
};

test('the tables that count their changes are those that the code names', async () => {
  const { rows } = await pool.query<{ name: string; enabled: string }>(
    `select tgrelid::regclass::text as name, tgenabled as enabled from pg_trigger t join pg_proc p on p.oid = t.tgfoid where p.proname = 'note_change'`,
  );
  assert.deepEqual(rows.map(({ name }) => name).sort(), [...versionedTables].sort());
  assert.ok(rows.every(({ enabled }) => enabled === 'A'));
});

test('a version moves at commit, not before, and once per transaction and table', async () => {
  const first = await changes('wallet_profiles');
  const client = await connect();
  await client.query(PROFILE, ['once-1']);
  await client.query(PROFILE, ['once-2']);
  assert.equal(await changes('wallet_profiles'), first);
  await end(client, 'commit');
  assert.equal(await changes('wallet_profiles'), first + 1);
});

test('a rollback moves no version, and a change after a rolled back savepoint counts', async () => {
  const first = await changes('wallet_profiles');
  const undone = await connect();
  await undone.query(PROFILE, ['undone']);
  await end(undone, 'rollback');
  assert.equal(await changes('wallet_profiles'), first);

  const client = await connect();
  await client.query('savepoint a');
  await client.query(PROFILE, ['save-1']);
  await client.query('rollback to savepoint a');
  await client.query(PROFILE, ['save-2']);
  await end(client, 'commit');
  assert.equal(await changes('wallet_profiles'), first + 1);
});

test('fifty writers of two tables in opposite order neither wait for each other nor deadlock', async () => {
  const tables = ['wallet_profiles', 'hidden_portfolio'] as const;
  const first = await changes(...tables);
  const writers = await Promise.all(Array.from({ length: 50 }, () => connect(`begin; set local lock_timeout = '2s'`)));
  const statements = [
    (client: pg.PoolClient, n: number) => client.query(PROFILE, [`writer-${n}`]),
    (client: pg.PoolClient) => client.query(`update hidden_portfolio set agent_id = agent_id where false`),
  ];
  // All transactions hold their changes open before the first one commits.
  for (const turn of [0, 1]) await Promise.all(writers.map((client, n) => statements[(n + turn) % 2]?.(client, n)));
  assert.equal(await changes(...tables), first);
  for (const [n, writer] of writers.entries()) {
    await end(writer, 'commit');
    assert.equal(await changes(...tables), first + 2 * (n + 1), 'each commit is seen, in whatever order they come');
  }
});

test('a transaction at a stricter isolation level counts without an error', async () => {
  const first = await changes('wallet_profiles');
  const strict = await connect('begin isolation level repeatable read');
  await strict.query('select 1 from wallet_profiles');
  await pool.query(PROFILE, ['meanwhile']);
  await strict.query(PROFILE, ['strict']);
  await end(strict, 'commit');
  assert.equal(await changes('wallet_profiles'), first + 2);
});

test('deleting, truncating and changes without other triggers count', async () => {
  for (const statement of [
    `delete from wallet_profiles where wallet = 'writer-1'`,
    'truncate hidden_portfolio',
    `set local session_replication_role = replica; update wallet_profiles set bio = 'x'`,
  ]) {
    const first = await changes('wallet_profiles', 'hidden_portfolio');
    await pool.query(`begin; ${statement}; commit`);
    assert.equal(await changes('wallet_profiles', 'hidden_portfolio'), first + 1, statement);
  }
});

test('rows that count changes do not grow with the number of changes', async () => {
  const count = async () => (await pool.query<{ n: number }>('select count(*)::int as n from data_versions')).rows[0]?.n ?? 0;
  const before = await count();
  for (let n = 0; n < 200; n++) await pool.query(PROFILE, ['again']);
  assert.equal(await count(), before);
});

test('concurrent reads of versions share a statement, and none is older than its request', async () => {
  let statements = 0;
  const counting = createVersionReader({
    query: (...given: Parameters<pg.Pool['query']>) => {
      statements++;
      return pool.query(...given);
    },
  } as unknown as pg.Pool);
  const first = await changes('wallet_profiles');
  const early = counting.read();
  await pool.query(PROFILE, ['shared']);
  const versions: DataVersions[] = await Promise.all(Array.from({ length: 20 }, () => counting.read()));
  assert.ok((await early).changesOf(['wallet_profiles']) >= first);
  assert.ok(versions.every((read) => read.changesOf(['wallet_profiles']) === first + 1));
  assert.ok(statements <= 3, `${statements} statements for 21 reads`);
});

test('a read of unchanged versions transfers no counts, and a change of any table is seen', async () => {
  const answers: (string | null)[] = [];
  const watched = createVersionReader({
    query: async (...given: Parameters<pg.Pool['query']>) => {
      const result = (await pool.query(...given)) as unknown as pg.QueryResult<{ versions: string | null }>;
      answers.push(result.rows[0]?.versions ?? null);
      return result;
    },
  } as unknown as pg.Pool);
  const first = await watched.read();
  assert.equal(await watched.read(), first);
  assert.equal(answers[1], null);
  for (const table of versionedTables) {
    const before = (await watched.read()).changesOf([table]);
    await pool.query(`delete from ${table} where false`);
    assert.equal((await watched.read()).changesOf([table]), before + 1, table);
  }
});
