/** GET /api/services: every filter, every sort order, search words, and both kinds of pages. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { registerOwnedAgent, type TestAgent } from '../harness/agents.ts';
import { asQuery, call, type Envelope, type Reply } from '../harness/http.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { solanaWallet } from '../harness/people.ts';
import { createService } from '../harness/services.ts';

let market: TestMarket;
let agents: { readonly tallyrook: TestAgent; readonly inkwell: TestAgent };

const browse = (query: string | Record<string, unknown> = ''): Promise<Reply> =>
  call(market.url, `GET /api/services${typeof query === 'string' ? query : asQuery(query)}`);
const titlesOf = (reply: Reply): string[] => reply.body['data'].map((item: Envelope) => String(item['title']).split(' ')[0]);

const text = (words: string): string => `${words}. Written by people who like their work and take the time it needs.`;

before(async () => {
  market = await openMarket();
  const owner = solanaWallet();
  agents = {
    tallyrook: await registerOwnedAgent(market.url, owner, { name: 'Tallyrook Books' }),
    inkwell: await registerOwnedAgent(market.url, owner, { name: 'Inkwell Pictures' }),
  };
  const { tallyrook, inkwell } = agents;
  const listings: readonly [TestAgent, Record<string, unknown>, readonly [orders: number, sum: number, count: number]][] = [
    [
      tallyrook,
      {
        title: 'Audit of accounts',
        category: 'analytics',
        price_usd: '180',
        description: text('Ledgers read/checked twice, node.js scripts included'),
      },
      [9, 20, 5],
    ],
    [
      tallyrook,
      {
        title: 'Bookkeeping every month',
        category: 'automation',
        price_usd: '49.99',
        price_type: 'monthly',
        turnaround_hours: 72,
        description: text('Ledger entries'),
      },
      [2, 10, 2],
    ],
    [
      tallyrook,
      {
        title: 'Consulting by the hour',
        category: 'consulting',
        price_usd: '0',
        price_type: 'quote',
        turnaround_hours: 24,
        description: text('Ask first'),
      },
      [0, 0, 0],
    ],
    [
      inkwell,
      {
        title: 'Drawings of houses',
        category: 'image_gen',
        price_usd: '0.5',
        turnaround_hours: 1,
        provider_model: 'flux-1',
        description: text('Ink on paper, scanned'),
      },
      [9, 24, 5],
    ],
    [
      inkwell,
      {
        title: 'Emblems for teams',
        category: 'image_gen',
        price_usd: '5',
        price_type: 'weekly',
        turnaround_hours: 8,
        provider_model: 'flux-2',
        description: text('Logo and banner: don’t worry about the format'),
      },
      [40, 3, 1],
    ],
    [
      inkwell,
      {
        title: 'Films, short',
        category: 'video_gen',
        price_usd: '1',
        provider_model: 'flux-1',
        turnaround_hours: 720,
        description: text('Привет from the studio'),
      },
      [0, 5, 1],
    ],
  ];
  for (const [agent, body, figures] of listings) {
    const { id } = await createService(market.url, agent, body);
    await market.database.pool.query(
      'update services set completed_orders = $2, completed_weight = 1000 * $2::int, total_orders = $2, rating_sum = $3, rating_count = $4, rated_weight = 1000 * $4::int, rating_rank = coalesce(250 * ($3 - $4) / nullif($4, 0), 0) where id = $1',
      [id, ...figures],
    );
  }
});
after(() => market.close());

const filters: readonly (readonly [query: string, titles: readonly string[]])[] = [
  ['', ['Audit', 'Bookkeeping', 'Consulting', 'Drawings', 'Emblems', 'Films,']],
  ['?category=image_gen', ['Drawings', 'Emblems']],
  ['?category=ugc', []],
  ['?pricing=onetime', ['Audit', 'Drawings', 'Films,']],
  ['?pricing=subscription', ['Bookkeeping', 'Emblems']],
  ['?price_type=quote', ['Consulting']],
  ['?price_type=weekly&pricing=subscription', ['Emblems']],
  ['?price_type=fixed&pricing=subscription', []],
  ['?price=free', ['Consulting']],
  ['?price=under1', ['Consulting', 'Drawings', 'Films,']],
  ['?price=1to5', ['Emblems', 'Films,']],
  ['?price=over5', ['Audit', 'Bookkeeping', 'Emblems']],
  ['?min_price=5', ['Audit', 'Bookkeeping', 'Emblems']],
  ['?max_price=0.5', ['Consulting', 'Drawings']],
  ['?min_price=0.500001&max_price=49.99', ['Bookkeeping', 'Emblems', 'Films,']],
  ['?price=over5&max_price=49.99', ['Bookkeeping', 'Emblems']],
  ['?min_price=10&max_price=9', []],
  ['?model=flux-1', ['Drawings', 'Films,']],
  ['?model=flux', []],
  ['?category=image_gen&pricing=subscription&min_price=1&search=emblem', ['Emblems']],
];

for (const [query, titles] of filters) {
  test(`GET /api/services with ${query || 'no filter'} finds ${titles.join(', ') || 'nothing'}`, async () => {
    const reply = await browse(query);
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    assert.deepEqual(titlesOf(reply).sort(), titles);
    assert.deepEqual([reply.body['total'], reply.body['total_capped'], reply.body['next_cursor']], [titles.length, false, null]);
  });
}

test('agent filters services by one agent, by id or slug; an unknown one has no services', async () => {
  for (const agent of [agents.inkwell.id, agents.inkwell.slug])
    assert.deepEqual(titlesOf(await browse({ agent })).sort(), ['Drawings', 'Emblems', 'Films,']);
  assert.deepEqual(titlesOf(await browse({ agent: 'nobody' })), []);
});

const orders: readonly (readonly [sortBy: string, titles: readonly string[]])[] = [
  ['popular', ['Emblems', 'Drawings', 'Audit', 'Bookkeeping', 'Films,', 'Consulting']],
  ['newest', ['Films,', 'Emblems', 'Drawings', 'Consulting', 'Bookkeeping', 'Audit']],
  ['cheapest', ['Consulting', 'Drawings', 'Films,', 'Emblems', 'Bookkeeping', 'Audit']],
  ['rating', ['Bookkeeping', 'Films,', 'Drawings', 'Audit', 'Emblems', 'Consulting']],
  ['fastest', ['Drawings', 'Emblems', 'Consulting', 'Audit', 'Bookkeeping', 'Films,']],
];

for (const [sortBy, titles] of orders) {
  test(`services sorted by ${sortBy}: ${titles.join(', ')}`, async () => assert.deepEqual(titlesOf(await browse({ sortBy })), titles));
  test(`services sorted by ${sortBy}, also with a search`, async () =>
    assert.deepEqual(titlesOf(await browse({ sortBy, search: 'people work' })), titles));
}

test('the default sort order of services is popular', async () => assert.deepEqual(titlesOf(await browse()), orders[0]?.[1]));

const searches: readonly (readonly [search: string, titles: readonly string[]])[] = [
  ['drawings', ['Drawings']],
  ['DRAWINGS', ['Drawings']],
  ['draw', ['Drawings']],
  ['rawings', []],
  ['houses of', ['Drawings']],
  ['ledger', ['Audit', 'Bookkeeping']],
  ['ledger entries', ['Bookkeeping']],
  ['entries ledger', ['Bookkeeping']],
  ['led entries', []],
  ['tallyrook', ['Audit', 'Bookkeeping', 'Consulting']],
  ['inkwell films', ['Films,']],
  ['checked', ['Audit']],
  ['read/checked', ['Audit']],
  ['node', ['Audit']],
  ['node.js', ['Audit']],
  ['banner', ['Emblems']],
  ['don’t', ['Emblems']],
  ['привет', ['Films,']],
  ['Привет', ['Films,']],
  ['  ink   paper  ', ['Drawings']],
  ['nothingofthekind', []],
];

for (const [search, titles] of searches) {
  test(`the service search ${search} finds ${titles.join(', ') || 'nothing'}`, async () => {
    const reply = await browse({ search });
    assert.deepEqual(titlesOf(reply).sort(), titles);
    assert.equal(reply.body['total'], titles.length);
  });
}

test('services of a renamed agent are found by its new name and no longer by the old', async () => {
  const agent = await registerOwnedAgent(market.url, solanaWallet(), { name: 'Quillfeather' });
  const { id } = await createService(market.url, agent, { title: 'Letters by post' });
  assert.deepEqual(titlesOf(await browse({ search: 'quillfeather' })), ['Letters']);
  await call(market.url, 'PATCH /api/agents/me', { key: agent.key, body: { name: 'Swanfeather' } });
  assert.deepEqual(titlesOf(await browse({ search: 'quillfeather' })), []);
  const [found] = (await browse({ search: 'swanfeather' })).body['data'];
  assert.deepEqual([found.id, found.agent_name], [id, 'Swanfeather']);
  await call(market.url, `DELETE /api/services/${id}`, { key: agent.key });
});

describe('I06: SQL and search syntax in a search is plain text', () => {
  const hostile = [
    "'",
    "''",
    "' or 1=1 --",
    "'); drop table services; --",
    'a & | ! b',
    '!draw',
    'draw:*',
    'draw:ABC',
    '(draw',
    'draw)',
    '<->',
    'a <-> b',
    '\\',
    "\\' or \\",
    ':*',
    '&&&',
    '%',
    '_',
    '"quoted phrase"',
    '-draw',
    '$1',
    '${x}',
    '<script>',
    '&amp;',
    '\u200b',
    '’',
    '—',
    '😀',
    '٣',
    'ﷺ',
    'x'.repeat(200),
    `${'y'.repeat(198)} zz`,
    'a '.repeat(100),
    '1e999',
    'file:///etc/passwd',
    'user@example.com',
    'http://example.com/?a=b&c=d#e',
  ];
  for (const search of hostile) {
    test(`the service search ${JSON.stringify(search).slice(0, 60)} is plain text`, async () => {
      for (const sortBy of ['popular', 'cheapest']) {
        const reply = await browse({ search, sortBy });
        assert.equal(reply.status, 200, JSON.stringify(reply.body));
        assert.ok(reply.body['data'].length <= 6);
      }
    });
  }

  test('a service search of punctuation alone finds nothing, an empty one finds everything', async () => {
    assert.equal((await browse({ search: '!!! &' })).body['total'], 0);
    assert.equal((await browse({ search: '  ' })).body['total'], 6);
  });

  test('operators in a service search have no effect', async () => {
    assert.deepEqual(titlesOf(await browse({ search: 'drawings | films' })), []);
    assert.deepEqual(titlesOf(await browse({ search: '!ledger' })).sort(), ['Audit', 'Bookkeeping']);
  });
});

for (const query of [
  '?category=cooking',
  '?sortBy=best',
  '?pricing=hourly',
  '?price=cheap',
  '?price_type=hourly',
  '?min_price=abc',
  '?max_price=-1',
  '?limit=0',
  '?limit=many',
  '?offset=-1',
  '?cursor=nonsense',
]) {
  test(`GET /api/services${query} is 400`, async () => assert.equal((await browse(query)).status, 400));
}
