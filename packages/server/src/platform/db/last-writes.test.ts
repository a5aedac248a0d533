import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createTestDatabase, type TestDatabase } from '../../../../../test/harness/database.ts';
import { type Database, openDatabase } from './database.ts';
import { type Rank, writeLast } from './last-writes.ts';

let testDatabase: TestDatabase;
let database: Database;

before(async () => {
  testDatabase = await createTestDatabase({ empty: true });
  database = openDatabase({ connection: testDatabase.connection, poolSize: 2, onError: () => {} });
});

after(async () => {
  await database.close();
  await testDatabase.drop();
});

test('last writes have the same order in every transaction, whichever was asked for first', async () => {
  for (const asked of [
    ['rows', 'events', 'books'],
    ['books', 'events', 'rows'],
  ] satisfies Rank[][]) {
    const written: Rank[] = [];
    await database.transaction(async (tx) => {
      for (const rank of asked) writeLast(tx, {}, [rank], async (_tx, items) => void written.push(...items), rank);
    });
    assert.deepEqual(written, ['rows', 'events', 'books']);
  }
});
