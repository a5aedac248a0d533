/** The short form of `npm run bench -- search-services`: at a few thousand rows the plans already use the indexes they will need. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { operations } from '@market/contract';
import { CamelCasePlugin, Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { createTestDatabase, type TestDatabase } from '../../../../../test/harness/database.ts';
import { agentWord, seedServices, vocabularyWord } from '../../../../../test/harness/seed-services.ts';
import type { Db } from '../../platform/db/database.ts';
import { searchServices } from './search-repository.ts';

let testDatabase: TestDatabase;
let pool: pg.Pool;
let db: Db;
/** Every statement the search sent, ready to be explained. */
let sent: { text: string; values: readonly unknown[] }[] = [];

before(async () => {
  testDatabase = await createTestDatabase();
  pool = new pg.Pool({ ...testDatabase.connection, max: 2 });
  await seedServices(pool, 8_000);
  db = new Kysely({
    dialect: new PostgresDialect({ pool }),
    plugins: [new CamelCasePlugin({ maintainNestedObjectKeys: true })],
    log: ({ query }) => void sent.push({ text: query.sql, values: query.parameters }),
  });
});
after(async () => {
  await db.destroy();
  await testDatabase.drop();
});

async function plansOf(query: Record<string, unknown>): Promise<string[]> {
  sent = [];
  await searchServices(db, operations.services.list.input.query.parse(query));
  const statements = sent;
  const plans: string[] = [];
  for (const { text, values } of statements) {
    const { rows } = await pool.query<{ 'QUERY PLAN': string }>(`explain ${text}`, [...values]);
    plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'));
  }
  assert.ok(plans.length > 0);
  return plans;
}

const browses: readonly (readonly [query: Record<string, unknown>, index: string])[] = [
  ...['popular', 'newest', 'cheapest', 'rating', 'fastest'].flatMap((sortBy) => [
    [{ sortBy }, `services_${sortBy}`] as const,
    [{ sortBy, category: 'seo' }, `services_category_${sortBy}`] as const,
  ]),
  [{ category: 'seo', pricing: 'onetime', min_price: '1' }, 'services_category_popular'],
];

for (const [query, index] of browses) {
  test(`the search ${JSON.stringify(query)} walks ${index} without sorting or scanning all services`, async () => {
    const plans = await plansOf(query);
    const page = plans.find((plan) => plan.includes('agents')) ?? '';
    assert.ok(page.includes(`using ${index} on services`), page);
    assert.doesNotMatch(page, /Seq Scan on services/);
    assert.doesNotMatch(page.slice(page.indexOf('Limit')), /Sort/);
  });
}

test('a cursor becomes part of the index condition', async () => {
  const { nextCursor } = await searchServices(db, operations.services.list.input.query.parse({ category: 'seo', sortBy: 'cheapest' }));
  const page = (await plansOf({ category: 'seo', sortBy: 'cheapest', cursor: nextCursor })).find((plan) => plan.includes('agents'));
  assert.match(String(page), /Index Cond: .*ROW\(price_micros, id\) > ROW/);
});

test('a rare word is looked up in the word index', async () => {
  const plans = await plansOf({ search: agentWord(17) });
  assert.match(plans.join('\n'), /Bitmap Index Scan on services_words/);
  assert.doesNotMatch(plans.join('\n'), /Seq Scan on services/);
});

test('a common word is counted and found by one statement that walks the sort index', async () => {
  const plans = await plansOf({ search: vocabularyWord(3), sortBy: 'cheapest' });
  assert.equal(plans.length, 1);
  assert.match(plans.join('\n'), /Limit.*\n.*-> {2}Index Scan using services_cheapest on services/);
});

test('a common word that only the last rows contain is still found, in order', async () => {
  const last = 'select id from services where listed order by completed_weight, rating_rank, id limit 1200';
  await pool.query(`update services set title = title || ' latecomer', completed_weight = 0 where id in (${last})`);
  const { rows } = await pool.query<{ id: string }>(
    `select id from services where listed and title like '%latecomer%' order by completed_weight desc, rating_rank desc, id desc limit 50`,
  );
  const page = await searchServices(db, operations.services.list.input.query.parse({ search: 'latecomer' }));
  assert.deepEqual(
    page.rows.map(({ id }) => id),
    rows.map(({ id }) => id),
  );
  assert.deepEqual([page.total, page.totalCapped], [1000, true]);
});
