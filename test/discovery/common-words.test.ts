/** Words of thousands of services: search counts a fair sample, and still finds the most hired services. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { MOST_COUNTED } from '@market/contract';
import { call, type Envelope } from '../harness/http.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { seedServices, vocabularyWord } from '../harness/seed-services.ts';

/** Enough that the commonest word is in over sixteen times as many services as we count. */
const SERVICES = 12_000;

suite('a word of thousands of services', () => {
  let market: TestMarket;
  const word = vocabularyWord(2);
  before(async () => {
    market = await openMarket({ JOBS: 'off' });
    await seedServices(market.database.pool, SERVICES);
  });
  after(() => market.close());

  const ask = async (more = ''): Promise<Envelope> => (await call(market.url, `GET /api/search/services?q=${word}${more}`)).body;
  const countsOf = ({ data }: Envelope, facet: string): Record<string, number> =>
    Object.fromEntries(data.facets[facet].map(({ value, count }: Envelope) => [value, count]));

  test('search buckets of a common word count one fair sample, and say that there are more', async () => {
    const answer = await ask();
    assert.deepEqual([answer['total'], answer['total_capped']], [MOST_COUNTED, true]);
    const { rows } = await market.database.pool.query<{ category: string; count: number }>(
      `select category, count(*)::int from (
         select category from services where listed and left(md5(id), 1) = '0' and search @@ to_tsquery('simple', $1) limit ${MOST_COUNTED + 1}) sample
       group by category`,
      [word],
    );
    assert.equal(
      rows.reduce((sum, { count }) => sum + count, 0),
      MOST_COUNTED + 1,
    );
    const counts = countsOf(answer, 'category');
    for (const { category, count } of rows) assert.equal(counts[category], count, category);
    assert.ok(answer['data'].facets.category.every((bucket: Envelope) => bucket['at_least'] === true));
  });

  test('a repeated search for a common word has the same answer, and its next page repeats nothing', async () => {
    const [first, again, next] = [await ask('&limit=20'), await ask('&limit=20'), await ask('&limit=20&offset=20')];
    const idsOf = (answer: Envelope): string[] => answer['data'].hits.map((hit: Envelope) => hit['service'].id);
    assert.deepEqual(idsOf(first), idsOf(again));
    assert.equal(new Set([...idsOf(first), ...idsOf(next)]).size, 40);
  });

  test('a filter with a common word searches all services that have the word', async () => {
    const { rows } = await market.database.pool.query<{ category: string; count: number }>(
      `select category, count(*)::int from services where listed and search @@ to_tsquery('simple', $1) group by 1 order by 2 limit 1`,
      [word],
    );
    const [rarest] = rows;
    assert.ok(rarest !== undefined && rarest.count < MOST_COUNTED);
    const answer = await ask(`&category=${rarest.category}`);
    assert.deepEqual([answer['total'], answer['total_capped']], [rarest.count, false]);
  });
});
