import assert from 'node:assert/strict';
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { sql } from 'kysely';
import { readColumns, readParameters } from '../repository-sql/exported-functions.ts';
import { layOut } from '../repository-sql/lay-out.ts';
import { db, record } from '../repository-sql/recording-database.ts';
import { anyValue, sampleOf } from '../repository-sql/sample-values.ts';

/** Most of these functions send no statement. Only lower the number: extend `sample-values.ts` for a new function. */
const MOST_NOT_SHOWN = 33;

test('the generated SQL files leave out no more repository functions than before', async () => {
  const root = join(import.meta.dirname, '../../packages/server/sql');
  let functions = 0;
  const notShown: string[] = [];
  for await (const file of glob('**/*.sql', { cwd: root })) {
    const text = await readFile(join(root, file), 'utf8');
    functions += text.match(/^-- \w+$/gm)?.length ?? 0;
    notShown.push(...(/^-- not shown: (.*)$/m.exec(text)?.[1] ?? '').split(', ').filter(Boolean));
  }
  assert.ok(functions > 700, `${functions} functions are shown`);
  assert.ok(notShown.length <= MOST_NOT_SHOWN, `not shown: ${notShown.join(', ')}`);
});

test('readParameters reads the types of parameters of functions and constants, also with defaults', () => {
  const source = `
export async function moveThing<T>(tx: Tx, { id, from }: Pick<Row, 'id' | 'from'>, kinds: readonly ('a' | 'b')[] = [], done?: () => void): Promise<void> {}
export const selectThing = compileOnce((db, id: OrderId) => select(db, id));`;
  assert.deepEqual(Object.fromEntries(readParameters(source)), {
    moveThing: [
      { name: 'tx', type: 'Tx' },
      { name: '{ id, from }', type: "Pick<Row, 'id' | 'from'>" },
      { name: 'kinds', type: "readonly ('a' | 'b')[]" },
      { name: 'done', type: '() => void' },
    ],
    selectThing: [
      { name: 'db', type: '' },
      { name: 'id', type: 'OrderId' },
    ],
  });
});

test('a sample value has the shape of its type; a sample row has the columns of its table', () => {
  const columnsOf = readColumns(
    'export interface ThingsTable {\n  id: string;\n  number: GeneratedAlways<number>;\n  paidMicros: bigint;\n}\n',
  );
  assert.deepEqual(sampleOf('readonly Insertable<ThingsTable>[]', 'rows', columnsOf), [{ id: 'x', paidMicros: 1n }]);
  assert.deepEqual(sampleOf("readonly ('a' | 'b')[]", 'kinds', columnsOf), ['a']);
  assert.equal(sampleOf('string | undefined', 'q', columnsOf), 'x');
});

test('record collects statements in order, once each, also of a function that fails after them', async () => {
  const statements = await record([anyValue()], async () => {
    await db.selectFrom('orders').select('serviceTitle').execute();
    await db.selectFrom('orders').select('serviceTitle').execute();
    await sql`delete from orders`.execute(db);
    throw new Error('later');
  });
  assert.deepEqual(statements, ['select "service_title" from "orders"', 'delete from orders']);
});

test('the layout of a statement breaks at its clauses, and within a clause only if it is long', () => {
  assert.equal(
    layOut("select a,\n   b from t where (c = 'x  y' and d) order by a"),
    "select a, b\nfrom t\nwhere (c = 'x  y' and d)\norder by a",
  );
  assert.equal(layOut('delete from t where a'), 'delete from t\nwhere a');
  const long = Array.from({ length: 20 }, (_, at) => `column_${at}`);
  assert.equal(
    layOut(`select ${long.join(', ')} from t`),
    `select column_0\n${long
      .slice(1)
      .map((name) => `  , ${name}\n`)
      .join('')}from t`,
  );
});
