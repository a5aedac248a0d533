/** Paging through services: offset and cursor pages return every row once, and totals are exact up to 1000. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { registerOwnedAgent, type TestAgent } from '../harness/agents.ts';
import { asQuery, call, type Envelope, type Reply } from '../harness/http.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { solanaWallet } from '../harness/people.ts';
import { seedServices, vocabularyWord } from '../harness/seed-services.ts';
import { createService } from '../harness/services.ts';

const SEEDED = 2_500;
const SORTS = ['popular', 'newest', 'cheapest', 'rating', 'fastest'];
/** Words of the seeded texts: one in about a quarter of them, one in very few. */
const COMMON = vocabularyWord(10);
const RARE = vocabularyWord(1_000);

let market: TestMarket;
let agent: TestAgent;
before(async () => {
  market = await openMarket({ JOBS: 'off' });
  await seedServices(market.database.pool, SEEDED);
  agent = await registerOwnedAgent(market.url, solanaWallet());
});
after(() => market.close());

const browse = (query: Record<string, string | number>): Promise<Reply> => call(market.url, `GET /api/services${asQuery(query)}`);
const idsOf = (reply: Reply): string[] => reply.body['data'].map((item: Envelope) => item['id']);

async function walk(query: Record<string, string | number>, between: () => Promise<unknown> = async () => undefined): Promise<string[]> {
  const seen: string[] = [];
  let cursor: string | null | undefined;
  do {
    const page = await browse({ ...query, ...(cursor && { cursor }) });
    assert.equal(page.status, 200, JSON.stringify(page.body));
    seen.push(...idsOf(page));
    cursor = page.body['next_cursor'];
    await between();
  } while (cursor !== null && seen.length < SEEDED * 2);
  return seen;
}

const holding = (word: string): string => `' ' || translate(title || ' ' || description, ',.', '  ') like '% ${word}%'`;

/** The same filters as plain SQL conditions. */
const wheres: readonly (readonly [query: Record<string, string>, where: string])[] = [
  [{}, 'true'],
  [{ category: 'seo', pricing: 'onetime' }, `category = 'seo' and price_type = 'fixed'`],
  [{ search: COMMON }, holding(COMMON)],
  [{ search: RARE }, holding(RARE)],
  [{ search: COMMON, category: 'coding', max_price: '100' }, `category = 'coding' and price_micros <= 100000000 and ${holding(COMMON)}`],
];
const orderOf: Record<string, string> = {
  popular: 'completed_weight desc, rating_rank desc, id desc',
  newest: 'created_at desc, id desc',
  cheapest: 'price_micros, id',
  rating: 'rating_rank desc, rated_weight desc, id desc',
  fastest: 'turnaround_hours, id',
};

for (const sortBy of SORTS) {
  for (const [query, where] of wheres) {
    test(`a cursor walk over services by ${sortBy} with ${JSON.stringify(query)} returns exactly the matching ones, in order`, async () => {
      const { rows } = await market.database.pool.query<{ id: string }>(`
        select id from services
        where active and moderation_status = 'ok' and ${where}
          and agent_id in (select id from agents where active and marketable and moderation_status = 'ok')
        order by ${orderOf[sortBy]}`);
      assert.ok(rows.length > 0);
      assert.deepEqual(
        await walk({ ...query, sortBy, limit: 100 }),
        rows.map(({ id }) => id),
      );
    });
  }

  test(`limit and offset over services by ${sortBy} return the same order`, async () => {
    const seen: string[] = [];
    for (let offset = 0; offset < 120; offset += 17) seen.push(...idsOf(await browse({ sortBy, limit: 17, offset })));
    assert.deepEqual(seen.slice(0, 100), idsOf(await browse({ sortBy, limit: 100 })));
    const common: string[] = [];
    for (let offset = 0; offset < 60; offset += 11) common.push(...idsOf(await browse({ sortBy, search: COMMON, limit: 11, offset })));
    assert.deepEqual(common.slice(0, 60), idsOf(await browse({ sortBy, search: COMMON, limit: 60 })));
  });

  test(`a cursor walk over services by ${sortBy} neither repeats nor skips while others list services`, async () => {
    const query = { sortBy, category: 'influencer', limit: 9 };
    const there = await walk(query);
    const added: string[] = [];
    const seen = await walk(query, async () => added.push((await createService(market.url, agent, { category: 'influencer' }))['id']));
    assert.equal(new Set(seen).size, seen.length, 'a service came twice');
    const old = new Set(there);
    assert.deepEqual(
      seen.filter((id) => old.has(id)),
      there,
    );
    await market.database.pool.query('update services set active = false where id = any($1)', [added]);
  });
}

test('a page of services has 50 by default, 100 at most', async () => {
  assert.equal(idsOf(await browse({})).length, 50);
  assert.equal(idsOf(await browse({ limit: 5_000 })).length, 100);
});

test('the total of services is exact up to 1000 and marked as capped beyond', async () => {
  const totals = async (query: Record<string, string>): Promise<unknown[]> => {
    const { body } = await browse(query);
    return [body['total'], body['total_capped']];
  };
  assert.deepEqual(await totals({}), [1000, true]);
  const { rows } = await market.database.pool.query(`select count(*)::int as count from services where listed and category = 'seo'`);
  assert.deepEqual(await totals({ category: 'seo' }), [rows[0].count, false]);
  const beyond = await browse({ search: RARE, offset: 900 });
  assert.equal(beyond.body['data'].length, 0);
  assert.ok(beyond.body['total'] > 0);
  await market.database.pool.query(`update services set title = title || ' everywhere' where category in ('coding', 'image_gen', 'seo')`);
  assert.deepEqual(await totals({ search: 'everywhere' }), [1000, true]);
});

test('a search of services for a common word returns every match in every sort order, also when only late rows match', async () => {
  const { pool } = market.database;
  const last = 'select id from services where listed order by completed_weight, rating_rank, id limit 1200';
  await pool.query(`update services set title = title || ' latecomer', completed_weight = 0 where id in (${last})`);
  for (const word of ['everywhere', 'latecomer']) {
    for (const sortBy of SORTS) {
      const { rows } = await pool.query<{ id: string }>(
        `select id from services where listed and title like '%${word}%' order by ${orderOf[sortBy]}`,
      );
      assert.ok(rows.length > 1000);
      assert.deepEqual(
        await walk({ search: word, sortBy, limit: 100 }),
        rows.map(({ id }) => id),
        `${word} by ${sortBy}`,
      );
    }
  }
});

test('a cursor of the service list is valid only with the sort order it came from', async () => {
  const cursor = (await browse({ sortBy: 'cheapest', limit: 5 })).body['next_cursor'];
  assert.equal((await browse({ sortBy: 'cheapest', cursor })).status, 200);
  for (const sortBy of ['popular', 'fastest']) assert.equal((await browse({ sortBy, cursor })).body['code'], 'invalid_cursor');
});

test('the services of one agent are paged too', async () => {
  const busy = await registerOwnedAgent(market.url, solanaWallet());
  const made: string[] = [];
  for (let number = 0; number < 5; number++) made.unshift((await createService(market.url, busy))['id']);
  const first = await call(market.url, `GET /api/agents/${busy.slug}/services?limit=3`);
  assert.equal(first.body['total'], 5);
  const rest = await call(market.url, `GET /api/agents/${busy.slug}/services?limit=3&cursor=${first.body['next_cursor']}`);
  assert.deepEqual([...idsOf(first), ...idsOf(rest)], made);
  assert.equal(rest.body['next_cursor'], null);
});
