import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { sql } from 'kysely';
import type pg from 'pg';
import { createTestDatabase, type TestDatabase } from '../../../../../test/harness/database.ts';
import { recordStatements, type StatementLog } from '../../../../../test/harness/statements.ts';
import { type Database, openDatabase, type Tx } from './database.ts';
import { writeLast } from './last-writes.ts';
import { deferred } from './pipelined-driver.ts';

let testDatabase: TestDatabase;
let database: Database;
let log: StatementLog;

before(async () => {
  testDatabase = await createTestDatabase({ empty: true });
  database = openDatabase({ connection: testDatabase.connection, poolSize: 4, onError: () => {} });
  await database.pool.query('create table notes (id int primary key); create table later_notes (id int primary key)');
  log = recordStatements(database.pool);
});

after(async () => {
  log.stop();
  await database.close();
  await testDatabase.drop();
});

afterEach(async () => {
  await database.pool.query('truncate notes, later_notes');
});

const laterNotes = {};
let batches: number[] = [];

/** Inserts a row into `notes` at once, and one into `laterNotes` with the last writes. */
async function note(tx: Tx, id: number): Promise<number> {
  await tx.executeQuery(deferred('insert into notes (id) values ($1)', [id]));
  writeLast(tx, laterNotes, [id], async (own, ids) => {
    batches.push(ids.length);
    await own.executeQuery(deferred('insert into later_notes (id) select unnest($1::int[])', [ids]));
  });
  await sql`select id from notes where id = ${id}`.execute(tx);
  return id;
}

const idsOf = async (table: string): Promise<number[]> =>
  (await database.pool.query<{ id: number }>(`select id from ${table} order by id`)).rows.map(({ id }) => id);
const commits = (): number => log.take().filter(({ text }) => text === 'commit').length;

test('concurrent work shares commits and last writes, and each gets its own result', async () => {
  batches = [];
  log.take();
  const ids = Array.from({ length: 40 }, (_, index) => index);
  assert.deepEqual(await Promise.all(ids.map((id) => database.joinTransaction((tx) => note(tx, id)))), ids);
  assert.ok(commits() <= 4);
  assert.ok(batches.length <= 4);
  assert.deepEqual(await idsOf('notes'), ids);
  assert.deepEqual(await idsOf('later_notes'), ids);
});

test('a refusal rolls back only its own writes, including its last writes', async () => {
  const refuse = async (tx: Tx): Promise<never> => {
    await note(tx, 100);
    throw new Error('refused');
  };
  const all = await Promise.allSettled([
    database.joinTransaction((tx) => note(tx, 1)),
    database.joinTransaction(refuse),
    database.joinTransaction((tx) => note(tx, 2)),
  ]);
  assert.deepEqual(
    all.map((one) => (one.status === 'fulfilled' ? one.value : one.reason.message)),
    [1, 'refused', 2],
  );
  assert.deepEqual(
    [await idsOf('notes'), await idsOf('later_notes')],
    [
      [1, 2],
      [1, 2],
    ],
  );
});

test('a statement that fails in the middle fails only its own work', async () => {
  const all = await Promise.allSettled([1, 1, 2].map((id) => database.joinTransaction((tx) => note(tx, id))));
  assert.deepEqual(all.map(({ status }) => status).sort(), ['fulfilled', 'fulfilled', 'rejected']);
  assert.deepEqual(
    [await idsOf('notes'), await idsOf('later_notes')],
    [
      [1, 2],
      [1, 2],
    ],
  );
});

for (const [when, reads] of [
  ['before its first read', false],
  ['after a read', true],
] as const)
  test(`a failing statement that refused work left behind ${when} touches no other work`, async () => {
    let runs = 0;
    const counted = (id: number) => async (tx: Tx) => {
      runs += 1;
      return await note(tx, id);
    };
    const refuse = async (tx: Tx): Promise<never> => {
      if (reads) await sql`select 1`.execute(tx);
      await tx.executeQuery(deferred('insert into notes (id) values ($1)', [1]));
      throw new Error('refused');
    };
    const outcomes = async (...works: ((tx: Tx) => Promise<number>)[]) =>
      (await Promise.allSettled(works.map((work) => database.joinTransaction(work)))).map((one) =>
        one.status === 'fulfilled' ? one.value : one.reason.message,
      );
    assert.deepEqual(await outcomes(counted(1), refuse, counted(2)), [1, 'refused', 2]);
    // With the commit: it succeeds, so nothing may run again.
    assert.deepEqual(await outcomes(counted(3), counted(4), refuse), [3, 4, 'refused']);
    assert.deepEqual([runs, await idsOf('notes'), await idsOf('later_notes')], [4, [1, 2, 3, 4], [1, 2, 3, 4]]);
  });

test('a statement that fails after its work has ended fails that work, too', async () => {
  const careless = (id: number) => async (tx: Tx) => {
    await tx.executeQuery(deferred('insert into notes (id) values ($1)', [id]));
    return id;
  };
  const works = [careless(1), careless(1), careless(2), (tx: Tx) => note(tx, 3)];
  const all = await Promise.allSettled(works.map((work) => database.joinTransaction(work)));
  assert.deepEqual(all.map(({ status }) => status).sort(), ['fulfilled', 'fulfilled', 'fulfilled', 'rejected']);
  assert.deepEqual(await idsOf('notes'), [1, 2, 3]);
});

test('when the last writes fail, each work runs again alone', async () => {
  await database.pool.query('insert into later_notes (id) values (2)');
  const all = await Promise.allSettled([1, 2, 3].map((id) => database.joinTransaction((tx) => note(tx, id))));
  assert.deepEqual(
    all.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  );
  assert.deepEqual(await idsOf('notes'), [1, 3]);
});

test('work whose commit got no answer is not run again', async () => {
  let runs = 0;
  const work = (id: number) => async (tx: Tx) => {
    runs += 1;
    return await note(tx, id);
  };
  let isDeaf = true;
  const loseCommit = (client: pg.PoolClient): void => {
    const query = client.query.bind(client) as (...args: unknown[]) => Promise<unknown>;
    const deaf = (...args: unknown[]): Promise<unknown> =>
      isDeaf && args[0] === 'commit'
        ? query(...args).then(() => Promise.reject(new Error('Connection terminated unexpectedly')))
        : query(...args);
    client.query = deaf as typeof client.query;
  };
  database.pool.on('acquire', loseCommit);
  const all = await Promise.allSettled([1, 2, 3].map((id) => database.joinTransaction(work(id))));
  isDeaf = false;
  database.pool.off('acquire', loseCommit);
  assert.deepEqual(
    all.map((one) => one.status === 'rejected' && one.reason.message),
    Array.from({ length: 3 }, () => 'Connection terminated unexpectedly'),
  );
  assert.equal(runs, 3);
});

test('work for which PostgreSQL asks a retry runs again alone', async () => {
  let conflicts = 1;
  const unlucky = async (tx: Tx): Promise<number> => {
    if (conflicts-- > 0) await sql`do $$ begin raise exception 'try again' using errcode = '40001'; end $$`.execute(tx);
    return await note(tx, 2);
  };
  const all = [
    database.joinTransaction((tx) => note(tx, 1)),
    database.joinTransaction(unlucky),
    database.joinTransaction((tx) => note(tx, 3)),
  ];
  assert.deepEqual(await Promise.all(all), [1, 2, 3]);
  assert.deepEqual(
    [await idsOf('notes'), await idsOf('later_notes')],
    [
      [1, 2, 3],
      [1, 2, 3],
    ],
  );
});
