import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { sql } from 'kysely';
import { createTestDatabase, type TestDatabase } from '../../../../../test/harness/database.ts';
import { recordStatements, type StatementLog } from '../../../../../test/harness/statements.ts';
import { type Database, defer, openDatabase, readTogether, type Tx } from './database.ts';
import { deferred } from './pipelined-driver.ts';

let testDatabase: TestDatabase;
let database: Database;
let log: StatementLog;

before(async () => {
  testDatabase = await createTestDatabase({ empty: true });
  database = openDatabase({ connection: testDatabase.connection, poolSize: 2, onError: () => {} });
  await database.pool.query('create table notes (id int primary key, said text)');
  log = recordStatements(database.pool);
});

after(async () => {
  log.stop();
  await database.close();
  await testDatabase.drop();
});

afterEach(async () => {
  await database.pool.query('truncate notes');
  log.take();
});

const write = (tx: Tx, id: number) => tx.executeQuery(deferred('insert into notes (id, said) values ($1, $2)', [id, 'hello']));
const count = async () => (await database.pool.query<{ count: number }>('select count(*)::int as count from notes')).rows[0]?.count;
/** First words of the sent statements; `+` marks one sent together with the statement before it. */
const sent = () => log.take().map(({ text, pipelined }) => `${pipelined ? '+' : ''}${text.split(/[ ;]/)[0]}`);

test('a transaction begins with its first read and commits with its deferred writes', async () => {
  await database.transaction(async (tx) => {
    await sql`select 1 as one`.execute(tx);
    await write(tx, 1);
    await write(tx, 2);
  });
  assert.deepEqual(sent(), ['begin', '+select', 'insert', '+insert', '+commit']);
  assert.equal(await count(), 2);
});

test('a transaction whose first statement writes waits until it has begun', async () => {
  await database.transaction(async (tx) => {
    await sql`insert into notes values (1, 'now')`.execute(tx);
    await sql`select set_config('market.test', '1', true)`.execute(tx);
  });
  assert.deepEqual(sent(), ['begin', 'insert', 'select', 'commit']);
});

test('an empty savepoint is not sent, nor what waits in one that is rolled back', async () => {
  const say = (tx: Tx, text: string) => tx.executeQuery(deferred(text, []));
  await database.transaction(async (tx) => {
    await say(tx, 'savepoint one');
    await say(tx, 'release savepoint one');
    await say(tx, 'savepoint two');
    await say(tx, 'rollback to savepoint two');
    await say(tx, 'savepoint three');
    await write(tx, 3);
    await say(tx, 'rollback to savepoint three');
    await say(tx, 'savepoint four');
    await write(tx, 4);
    await say(tx, 'release savepoint four');
    await say(tx, 'savepoint five');
    await write(tx, 5);
    await sql`select 1`.execute(tx);
    await write(tx, 5);
    await say(tx, 'rollback to savepoint five');
    await write(tx, 6);
  });
  assert.deepEqual(sent(), [
    ...['begin', 'savepoint', '+insert', '+release', '+savepoint', '+insert', '+select'],
    ...['rollback', '+insert', '+commit'],
  ]);
  const { rows } = await database.pool.query('select id from notes order by id');
  assert.deepEqual(rows, [{ id: 4 }, { id: 6 }]);
});

test('a transaction with one deferred statement sends only that statement, and one without statements sends nothing', async () => {
  await database.transaction((tx) => write(tx, 1));
  await database.transaction(async () => undefined);
  assert.deepEqual(sent(), ['insert']);
  assert.equal(await count(), 1);
});

test('deferred statements keep their order and go out before the next read', async () => {
  const seen = await database.transaction(async (tx) => {
    await write(tx, 1);
    await tx.executeQuery(deferred(`update notes set said = said || ', world' where id = $1`, [1]));
    const { rows } = await sql<{ said: string }>`select said from notes`.execute(tx);
    return rows;
  });
  assert.deepEqual(seen, [{ said: 'hello, world' }]);
  assert.deepEqual(sent(), ['begin', 'insert', '+update', '+select', 'commit']);
});

test('a deferred statement that fails rolls everything back and is named as the cause', async () => {
  const twice = database.transaction(async (tx) => {
    await sql`select 1`.execute(tx);
    await write(tx, 1);
    await write(tx, 1);
    await write(tx, 2);
  });
  await assert.rejects(twice, /notes_pkey/);
  const read = database.transaction(async (tx) => {
    await write(tx, 1);
    await write(tx, 1);
    await sql`select 1`.execute(tx);
  });
  await assert.rejects(read, /notes_pkey/);
  assert.equal(await count(), 0);
});

test('a transaction whose work swallows an error does not commit', async () => {
  const swallowed = database.transaction(async (tx) => {
    await sql`select 1`.execute(tx);
    await sql`select 1 / 0`.execute(tx).catch(() => undefined);
  });
  await assert.rejects(swallowed, /aborted|rolled back/i);
});

test('work that fails before its first statement sends nothing', async () => {
  const failed = database.transaction(async (tx) => {
    await write(tx, 1);
    throw new Error('changed my mind');
  });
  await assert.rejects(failed, /changed my mind/);
  assert.deepEqual(sent(), []);
  assert.equal(await count(), 0);
});

test('two reads of a transaction share a round trip, and each has its own rows', async () => {
  const both = (db: Database['db']) =>
    readTogether(
      db,
      { compile: () => sql<{ firstName: string }>`select 'Ada' as first_name`.compile(db) },
      { compile: () => sql<{ lastName: string }>`select 'Lovelace' as last_name`.compile(db) },
    );
  assert.deepEqual(await database.transaction(both), [[{ firstName: 'Ada' }], [{ lastName: 'Lovelace' }]]);
  assert.deepEqual(sent(), ['begin', '+select', '+select', 'commit']);
  assert.deepEqual(await both(database.db), [[{ firstName: 'Ada' }], [{ lastName: 'Lovelace' }]]);
});

test('a query of the builder can be deferred', async () => {
  await database.transaction(async (tx) => {
    await defer(tx, tx.insertInto('notes' as never).values({ id: 7, said: 'built' } as never));
    await write(tx, 8);
  });
  assert.equal(await count(), 2);
  assert.deepEqual(sent().slice(0, 4), ['begin', '+insert', '+insert', '+commit']);
});

test('a prepared statement whose columns a migration changed is prepared again', async () => {
  const all = () => sql<Record<string, unknown>>`select * from notes where id < ${10}`.execute(database.db);
  const insideAll = () => database.transaction((tx) => sql`select * from notes where id < ${11}`.execute(tx));
  await database.pool.query(`insert into notes values (1, 'old')`);
  // By now both connections of the pool have prepared both statements.
  for (let round = 0; round < 4; round++) await Promise.all([all(), all(), insideAll(), insideAll()]);
  await database.pool.query(`alter table notes add column heard text default 'new'`);
  const [one, other, inside] = await Promise.all([all(), all(), insideAll()]);
  for (const { rows } of [one, other, inside]) assert.deepEqual(rows, [{ id: 1, said: 'old', heard: 'new' }]);
  await database.pool.query('alter table notes drop column heard');
});

test('a stale statement sent with the commit makes the whole transaction run again', async () => {
  let runs = 0;
  const write = (first: number): Promise<void> =>
    database.transaction(async (tx) => {
      runs += 1;
      await sql`select 1`.execute(tx);
      await tx.executeQuery(deferred('insert into notes (id) values ($1) returning *', [first]));
      await tx.executeQuery(deferred('insert into notes (id) values ($1)', [first + 1]));
    });
  // By now both connections of the pool have prepared both statements.
  for (let round = 0; round < 4; round++) await Promise.all([write(100 * round), write(100 * round + 10)]);
  await database.pool.query('truncate notes');
  await database.pool.query('alter table notes add column heard text');
  runs = 0;
  await write(1);
  assert.equal(runs, 2);
  assert.equal(await count(), 2);
  await database.pool.query('alter table notes drop column heard');
});
