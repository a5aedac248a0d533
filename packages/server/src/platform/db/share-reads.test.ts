import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { createTestDatabase, type TestDatabase } from '../../../../../test/harness/database.ts';
import { recordStatements, type StatementLog } from '../../../../../test/harness/statements.ts';
import { type Database, openDatabase } from './database.ts';
import { shareReads } from './share-reads.ts';

let testDatabase: TestDatabase;
let database: Database;
let log: StatementLog;

before(async () => {
  testDatabase = await createTestDatabase({ empty: true });
  database = openDatabase({ connection: testDatabase.connection, poolSize: 4, onError: () => {} });
  await database.pool.query('create table notes (id int primary key, said text)');
  await database.pool.query(`insert into notes select n, 'note ' || n from generate_series(1, 100) n`);
  log = recordStatements(database.pool);
});

after(async () => {
  log.stop();
  await database.close();
  await testDatabase.drop();
});

const findNote = shareReads<number, string | undefined>(async (db, ids) => {
  const { rows } = await sql<{ id: number; said: string }>`select id, said from notes where id = any(${[...ids]}::int[])`.execute(db);
  const said = new Map(rows.map((row) => [row.id, row.said]));
  // Fails as PostgreSQL would, for all callers who share the statement.
  if (ids.includes(-1)) await sql`select 1 / 0`.execute(db);
  return ids.map((id) => said.get(id));
});

test('concurrent reads share statements, and each gets its own answer', async () => {
  log.take();
  const ids = [...Array.from({ length: 50 }, (_, index) => index + 1), 7, 1_000];
  const answers = await Promise.all(ids.map((id) => findNote(database.db, id)));
  assert.deepEqual(
    answers,
    ids.map((id) => (id === 1_000 ? undefined : `note ${id}`)),
  );
  assert.ok(log.take().length <= 2);
});

test('a read that starts after a write sees it, also while older reads are running', async () => {
  const older = Array.from({ length: 20 }, (_, index) => findNote(database.db, index + 1));
  await database.pool.query(`update notes set said = 'changed' where id = 60`);
  const [after] = await Promise.all([findNote(database.db, 60), ...older]);
  assert.equal(after, 'changed');
});

test('a failure reaches all callers who shared the statement, and no later one', async () => {
  const failed = await Promise.allSettled([findNote(database.db, 1), findNote(database.db, -1)]);
  assert.deepEqual(
    failed.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  assert.equal(await findNote(database.db, 1), 'note 1');
});

test('a transaction does not share its reads, and sees its own writes', async () => {
  await database.transaction(async (tx) => {
    await sql`update notes set said = 'mine' where id = 61`.execute(tx);
    assert.equal(await findNote(tx, 61), 'mine');
    assert.equal(await findNote(database.db, 61), 'note 61');
  });
});
