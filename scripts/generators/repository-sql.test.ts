import assert from 'node:assert/strict';
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { sql } from 'kysely';
import { readColumns, readParameters } from '../repository-sql/exported-functions.ts';
import { layOut } from '../repository-sql/lay-out.ts';
import { db, record } from '../repository-sql/recording-database.ts';
import { anyValue, sampleOf } from '../repository-sql/sample-values.ts';

/** Most of them send nothing. The number may only fall: give `sample-values.ts` what a new function needs. */
const MOST_NOT_SHOWN = 33;

test('the generated files leave out no more functions than before', async () => {
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

test('parameters of functions, of constants and with defaults are read with their types', () => {
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

test('a sample has the shape of its type; a row to insert has the columns of its table', () => {
  const columnsOf = readColumns(
    'export interface ThingsTable {\n  id: string;\n  number: GeneratedAlways<number>;\n  paidMicros: bigint;\n}\n',
  );
  assert.deepEqual(sampleOf('readonly Insertable<ThingsTable>[]', 'rows', columnsOf), [{ id: 'x', paidMicros: 1n }]);
  assert.deepEqual(sampleOf("readonly ('a' | 'b')[]", 'kinds', columnsOf), ['a']);
  assert.equal(sampleOf('string | undefined', 'q', columnsOf), 'x');
});

test('statements are recorded in order, once each, also when the function fails behind them', async () => {
  const statements = await record([anyValue()], async () => {
    await db.selectFrom('orders').select('serviceTitle').execute();
    await db.selectFrom('orders').select('serviceTitle').execute();
    await sql`delete from orders`.execute(db);
    throw new Error('later');
  });
  assert.deepEqual(statements, ['select "service_title" from "orders"', 'delete from orders']);
});

test('a statement breaks at its clauses, and within them only where it is long', () => {
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
