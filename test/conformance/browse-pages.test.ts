/** Paging through agents: offset and cursor pages return every row exactly once. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { registerOwnedAgent } from '../harness/agents.ts';
import { asQuery, call, type Envelope, type Reply } from '../harness/http.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { solanaWallet, type TestWallet } from '../harness/people.ts';

const AGENTS = 60;

let market: TestMarket;
let owner: TestWallet;
let ids: string[];

before(async () => {
  market = await openMarket();
  owner = solanaWallet();
  ids = [];
  for (let group = 0; group < AGENTS / 10; group++) ids.push(...(await registerMany(10)));
  // Uneven figures with many ties, so that the popular and rating orders are neither trivial nor all equal.
  await market.database.pool.query(`
    update agent_figures f set completed_weight = n % 4, services_count = n % 2, rated_weight = n % 3, rating_rank = (n % 3) * 7 / 2
    from (select agent_id, row_number() over (order by agent_id) as n from agent_figures) rows where rows.agent_id = f.agent_id`);
});
after(() => market.close());

async function registerMany(count: number): Promise<string[]> {
  const agents = await Promise.all(Array.from({ length: count }, () => registerOwnedAgent(market.url, owner)));
  return agents.map(({ id }) => id);
}

const browse = (query: Record<string, string | number>): Promise<Reply> => call(market.url, `GET /api/agents${asQuery(query)}`);
const idsOf = (reply: Reply): string[] => reply.body['data'].map((item: Envelope) => item['id']);

/** Follows next_cursor to the end; `between` runs after every page. */
async function walk(query: Record<string, string | number>, between: () => Promise<unknown> = async () => undefined): Promise<string[]> {
  const seen: string[] = [];
  let cursor: string | null | undefined;
  do {
    const page = await browse({ ...query, ...(cursor && { cursor }) });
    assert.equal(page.status, 200, JSON.stringify(page.body));
    seen.push(...idsOf(page));
    cursor = page.body['next_cursor'];
    await between();
  } while (cursor !== null && seen.length < 500);
  return seen;
}

test('a page of agents has 24 by default, 100 at most, and total counts all of them', async () => {
  const plain = await browse({});
  assert.equal(plain.body['data'].length, 24);
  assert.equal(plain.body['total'], AGENTS);
  assert.equal(idsOf(await browse({ limit: 1 })).length, 1);
  assert.equal(idsOf(await browse({ limit: 100 })).length, AGENTS);
  const clamped = await browse({ limit: 1_000_000 });
  assert.equal(clamped.status, 200);
  assert.equal(idsOf(clamped).length, AGENTS);
});

for (const sortBy of ['popular', 'newest', 'rating']) {
  test(`limit and offset return every agent once, sorted by ${sortBy}`, async () => {
    const seen: string[] = [];
    for (let offset = 0; offset < AGENTS; offset += 7) seen.push(...idsOf(await browse({ sortBy, limit: 7, offset })));
    assert.deepEqual([...seen].sort(), [...ids].sort());
    assert.deepEqual(seen, idsOf(await browse({ sortBy, limit: 100 })));
    assert.deepEqual(idsOf(await browse({ sortBy, offset: AGENTS })), []);
  });

  test(`a cursor walk returns every agent once in the same order, sorted by ${sortBy}`, async () => {
    assert.deepEqual(await walk({ sortBy, limit: 7 }), idsOf(await browse({ sortBy, limit: 100 })));
  });

  test(`a cursor walk neither repeats nor skips an agent while others register, sorted by ${sortBy}`, async () => {
    const there = idsOf(await browse({ sortBy, limit: 100 }));
    const inserted: string[] = [];
    const seen = await walk({ sortBy, limit: 9 }, async () => inserted.push(...(await registerMany(2))));
    assert.equal(new Set(seen).size, seen.length, 'an agent came twice');
    const old = new Set(there);
    assert.deepEqual(
      seen.filter((id) => old.has(id)),
      there,
    );
    await market.database.pool.query('update agents set active = false where id = any($1)', [inserted]);
  });
}

test('next_cursor of the agent list is null on the last page, also when it is exactly full', async () => {
  assert.equal((await browse({ limit: AGENTS })).body['next_cursor'], null);
  assert.notEqual((await browse({ limit: AGENTS - 1 })).body['next_cursor'], null);
});

test('a cursor of the agent list is valid only with the sort order it came from; a forged one is 400', async () => {
  const { body } = await browse({ sortBy: 'newest', limit: 5 });
  const cursor: string = body['next_cursor'];
  assert.equal((await browse({ sortBy: 'newest', limit: 5, cursor })).status, 200);
  const forged = [
    'nonsense',
    Buffer.from('{}').toString('base64url'),
    Buffer.from('["newest","yesterday","x"]').toString('base64url'),
    Buffer.from('["newest","2026-99-99T00:00:00.000Z","x"]').toString('base64url'),
    Buffer.from(`["newest","2026-01-01T00:00:00.000Z","a'; drop table agents"]`).toString('base64url').slice(0, -3),
  ];
  for (const wrong of forged) {
    const reply = await browse({ sortBy: 'newest', cursor: wrong });
    assert.deepEqual([reply.status, reply.body['code']], [400, 'invalid_cursor'], wrong);
  }
  const other = await browse({ sortBy: 'popular', cursor });
  assert.deepEqual([other.status, other.body['code']], [400, 'invalid_cursor']);
});

for (const [name, value] of [
  ['limit', '-1'],
  ['limit', '0'],
  ['limit', 'many'],
  ['limit', '1.5'],
  ['offset', '-1'],
  ['offset', '99999999999'],
  ['cursor', ''],
] as const) {
  test(`GET /api/agents?${name}=${value} is 400, never an unbounded answer`, async () => {
    assert.equal((await browse({ [name]: value })).status, 400);
  });
}
