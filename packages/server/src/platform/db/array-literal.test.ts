import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createTestDatabase, type TestDatabase } from '../../../../../test/harness/database.ts';
import { arrayLiteral } from './array-literal.ts';
import { type Database, openDatabase } from './database.ts';

let testDatabase: TestDatabase;
let database: Database;

before(async () => {
  testDatabase = await createTestDatabase({ empty: true });
  database = openDatabase({ connection: testDatabase.connection, poolSize: 1, onError: () => {} });
});

after(async () => {
  await database.close();
  await testDatabase.drop();
});

async function readBack(values: readonly (string | number | null)[], type: string): Promise<unknown[]> {
  const { rows } = await database.pool.query(
    `select array_agg(to_jsonb(v) order by n) as list from unnest($1::${type}[]) with ordinality as u (v, n)`,
    [arrayLiteral(values, (value) => value)],
  );
  return rows[0].list ?? [];
}

test('PostgreSQL reads back every written text', async () => {
  const texts = [
    '',
    'plain',
    'NULL',
    'null',
    null,
    '"',
    '\\',
    '\\"',
    '{a,b}',
    ',',
    ' edges ',
    'line\nbreak\ttab',
    '\u0001',
    'ü 漢 🙂',
    "'; drop table x; --",
  ];
  assert.deepEqual(await readBack(texts, 'text'), texts);
});

test('PostgreSQL reads back numbers, nulls and empty arrays', async () => {
  const numbers = [0, -1, 2 ** 53 - 1, null, 7];
  assert.deepEqual(await readBack(numbers, 'bigint'), numbers);
  assert.deepEqual(await readBack([1.5, null], 'float8'), [1.5, null]);
  assert.deepEqual(await readBack([], 'text'), []);
});
