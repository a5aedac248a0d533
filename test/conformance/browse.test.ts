/** GET /api/agents, /featured and /api/models: visibility, every filter, every sort order. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { registerAgent, registerOwnedAgent, type TestAgent } from '../harness/agents.ts';
import { asQuery, call, type Envelope, type Reply } from '../harness/http.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { signed, solanaWallet, type TestWallet, tokenFor } from '../harness/people.ts';
import { assertRecord } from './check-record.ts';
import { agentListTable, specCategories } from './spec-tables.ts';

let market: TestMarket;
let owner: TestWallet;
let agents: Record<'painter' | 'coder' | 'analyst' | 'bare' | 'paused' | 'flagged', TestAgent>;

before(async () => {
  market = await openMarket();
  owner = solanaWallet();
  const owned = (more: Record<string, unknown>) => registerOwnedAgent(market.url, owner, more);
  agents = {
    painter: await owned({ name: 'Indigo Painter', capabilities: ['image_gen', 'video_gen'], ai_models: ['flux-1'] }),
    coder: await owned({
      name: 'Kestrel Coder',
      description: 'Writes 100%_tested programs.',
      capabilities: ['coding'],
      ai_models: ['llama-4'],
    }),
    analyst: await owned({ name: 'Marlow Analyst', capabilities: ['analytics', 'coding'], ai_models: ['llama-4', 'qwen-3'] }),
    bare: await registerAgent(market.url, { name: 'Bare Bones', capabilities: ['coding'], ai_models: ['hidden-1'] }),
    paused: await owned({ name: 'Paused Penny', capabilities: ['coding'], ai_models: ['hidden-2'] }),
    flagged: await owned({ name: 'Flagged Finn', description: 'Guaranteed returns for all of you.', ai_models: ['hidden-3'] }),
  };
  await call(market.url, `PATCH /api/agents/${agents.paused.id}/active`, { key: agents.paused.key, body: { active: false } });
  await arrangeFigures();
});
after(() => market.close());

/** Sets by SQL what orders, reviews and operators would cause, as a shortcut. */
async function arrangeFigures(): Promise<void> {
  const { pool } = market.database;
  const figures =
    'update agent_figures set completed_orders = $2, completed_weight = 1000 * $2, total_orders = $2, rating_sum = $3, rating_count = $4, rated_weight = 1000 * $4, rating_rank = coalesce(250 * ($3 - $4) / nullif($4, 0), 0) where agent_id = $1';
  await pool.query(figures, [agents.painter.id, 3, 8, 2]);
  await pool.query(figures, [agents.coder.id, 9, 15, 5]);
  await pool.query(figures, [agents.analyst.id, 0, 0, 0]);
  await pool.query(
    "update agent_figures set services_count = 1, service_categories = '{seo}', provider_models = '{veo-3}' where agent_id = $1",
    [agents.analyst.id],
  );
  await pool.query(
    "update agents set token_mint = 'Mint1', token_name = 'Kestrel', token_symbol = 'KST', token_mode = 'byot', token_creator_wallet = 'W', token_created_at = now(), source = 'official' where id = $1",
    [agents.coder.id],
  );
  await pool.query('update agents set featured = true where id = any($1)', [
    [agents.analyst.id, agents.bare.id, agents.paused.id, agents.flagged.id],
  ]);
}

const browse = (query = ''): Promise<Reply> => call(market.url, `GET /api/agents${query}`);
const namesOf = (reply: Reply): string[] => reply.body['data'].map((item: Envelope) => String(item['name']).split(' ')[0]);

test('E02: browse lists active agents with an owner and in good standing only', async () => {
  const reply = await browse();
  assert.equal(reply.status, 200);
  assert.deepEqual(namesOf(reply).sort(), ['Indigo', 'Kestrel', 'Marlow']);
  assert.equal(reply.body['total'], 3);
});

test('every item of the agent list has every field, decoded', async () => {
  for (const item of (await browse()).body['data']) {
    assertRecord(item, agentListTable);
    assert.ok(item.avg_rating === null || typeof item.avg_rating === 'number');
    assert.ok(item.categories.every((value: string) => (specCategories as readonly string[]).includes(value)));
  }
});

const filters: readonly { query: string; names: readonly string[] }[] = [
  { query: '?category=image_gen', names: ['Indigo'] },
  { query: '?category=coding', names: ['Kestrel', 'Marlow'] },
  { query: '?category=seo', names: ['Marlow'] },
  { query: '?category=ugc', names: [] },
  { query: '?search=kestrel', names: ['Kestrel'] },
  { query: '?search=HONEST', names: ['Indigo', 'Marlow'] },
  { query: '?search=100%25_tested', names: ['Kestrel'] },
  { query: '?search=%25', names: ['Kestrel'] },
  { query: '?search=_', names: ['Kestrel'] },
  { query: '?search=%5C', names: [] },
  { query: `?search=${'z'.repeat(5000)}`, names: [] },
  { query: '?search=', names: ['Indigo', 'Kestrel', 'Marlow'] },
  { query: "?search='%20or%201=1--", names: [] },
  { query: '?source=all', names: ['Indigo', 'Kestrel', 'Marlow'] },
  { query: '?source=official', names: ['Kestrel'] },
  { query: '?source=external', names: ['Indigo', 'Marlow'] },
  { query: '?source=market', names: [] },
  { query: '?model=llama-4', names: ['Kestrel', 'Marlow'] },
  { query: '?model=veo-3', names: ['Marlow'] },
  { query: '?model=llama', names: [] },
  { query: '?services=with', names: ['Marlow'] },
  { query: '?tokenized=true', names: ['Kestrel'] },
  { query: '?tokenized=false', names: ['Indigo', 'Kestrel', 'Marlow'] },
  { query: '?category=coding&model=qwen-3&search=marlow', names: ['Marlow'] },
];

for (const { query, names } of filters) {
  test(`GET /api/agents${query.slice(0, 50)} finds ${names.join(', ') || 'no agent'}`, async () => {
    const reply = await browse(query);
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    assert.deepEqual(namesOf(reply).sort(), names);
    assert.equal(reply.body['total'], names.length);
  });
}

const orders: readonly { query: string; names: readonly string[] }[] = [
  { query: '', names: ['Marlow', 'Kestrel', 'Indigo'] },
  { query: '?sortBy=popular', names: ['Marlow', 'Kestrel', 'Indigo'] },
  { query: '?sortBy=rating', names: ['Indigo', 'Kestrel', 'Marlow'] },
  { query: '?sortBy=newest', names: ['Marlow', 'Kestrel', 'Indigo'] },
];

for (const { query, names } of orders) {
  test(`GET /api/agents${query || ' without sortBy'} lists ${names.join(', ')} in this order`, async () => {
    assert.deepEqual(namesOf(await browse(query)), names);
  });
}

for (const query of [
  '?category=cooking',
  '?sortBy=cheapest',
  '?source=mine',
  '?services=without',
  '?tokenized=1',
  '?owner_wallet=nobody',
]) {
  test(`GET /api/agents${query} is 400`, async () => {
    assert.equal((await browse(query)).status, 400);
  });
}

test('page of the agent list counts pages of limit, from 1', async () => {
  const idsOf = async (query: string) => (await browse(query)).body['data'].map(({ id }: { id: string }) => id);
  const all = await idsOf('?limit=4');
  assert.deepEqual([...(await idsOf('?page=1&limit=2')), ...(await idsOf('?page=2&limit=2'))], all);
});

test('an unknown query field is refused with the nearest known name, on reads, changes and streams', async () => {
  const refused = [
    ['GET /api/agents?serach=ledger&limit=1', 'Unknown field: serach. Did you mean search?'],
    ['GET /api/agents?colour=blue', 'Unknown field: colour.'],
    ['GET /api/services?maxprice=5&sort_by=cheapest', 'Unknown fields: maxprice, sort_by. Did you mean max_price, sortBy?'],
    ['GET /api/agents/featured?limit=2', 'Unknown field: limit.'],
    ['GET /api/platform-stats?days=7', 'Unknown field: days.'],
    ['POST /api/auth/challenge?walet=x', /Unknown field: walet\. Did you mean wallet\?/],
  ] as const;
  for (const [route, message] of refused) {
    const { status, body } = await call(market.url, route, route.startsWith('POST') ? { body: {} } : {});
    assert.deepEqual([status, body['code']], [400, 'invalid_input'], route);
    if (typeof message === 'string') assert.equal(body['error'], message);
    else assert.match(body['error'], message);
  }
  const agent = await registerAgent(market.url);
  const stream = await call(market.url, 'GET /api/events/stream?type=order.paid', { key: agent.key });
  assert.deepEqual([stream.status, stream.body['error']], [400, 'Unknown field: type. Did you mean types?']);
});

test('x402, documents and feeds take unknown query fields and name them in a header', async () => {
  for (const path of [
    '/api/x402/services',
    '/api/x402/trending',
    '/api/x402/directory',
    '/discovery/resources',
    '/.well-known/x402',
    '/openapi.json',
    '/feeds/bounties.json',
    '/feeds/bounties.xml',
    '/.well-known/agent-card.json',
  ]) {
    const reply = await fetch(`${market.url}${path}?utm_source=crawler`);
    assert.deepEqual([reply.status, reply.headers.get('x-ignored-parameters')], [200, 'utm_source'], path);
    await reply.body?.cancel();
  }
});

test('q searches every list that takes a search text, and must agree with its synonym search', async () => {
  for (const query of ['q=kestrel', 'search=kestrel', 'q=kestrel&search=kestrel']) {
    const { data } = (await browse(`?${query}`)).body;
    assert.deepEqual(
      data.map((agent: Envelope) => agent['id']),
      [agents.coder.id],
      query,
    );
  }
  for (const path of [
    '/api/agents',
    '/api/services',
    '/api/bounties',
    '/api/search',
    '/api/search/services',
    '/api/x402/search',
  ] as const) {
    const reply = await call(market.url, `GET ${path}?q=kestrel`);
    assert.equal(reply.status, 200, `${path}: ${JSON.stringify(reply.body)}`);
  }
  assert.equal((await call(market.url, 'GET /api/agents?q=a&search=b')).status, 400);
});

test('GET /api/agents/featured lists the featured agents that browse shows, in the same shape', async () => {
  const reply = await call(market.url, 'GET /api/agents/featured');
  assert.equal(reply.status, 200);
  assert.deepEqual(namesOf(reply), ['Marlow']);
  assertRecord(reply.body['data'][0], agentListTable);
});

test('GET /api/agents/featured lists at most 8', async () => {
  const others = await Promise.all(Array.from({ length: 9 }, () => registerOwnedAgent(market.url, owner)));
  const ids = others.map(({ id }) => id);
  await market.database.pool.query('update agents set featured = true where id = any($1)', [ids]);
  const { body } = await call(market.url, 'GET /api/agents/featured');
  await Promise.all(others.map(({ id, key }) => call(market.url, `PATCH /api/agents/${id}/active`, { key, body: { active: false } })));
  assert.equal(body['data'].length, 8);
});

test('GET /api/models lists the models of listed agents, sorted, each once', async () => {
  const { status, body } = await call(market.url, 'GET /api/models');
  assert.equal(status, 200);
  assert.deepEqual(body['data'], ['flux-1', 'llama-4', 'qwen-3', 'veo-3']);
});

describe('owner_wallet lists the caller’s own agents', () => {
  test('owner_wallet with a signature in the query lists the wallet’s agents, hidden and flagged ones included, without any secret', async () => {
    const mine = solanaWallet();
    const [shown, hidden] = [await registerOwnedAgent(market.url, mine), await registerOwnedAgent(market.url, mine)];
    await call(market.url, `PATCH /api/agents/${hidden.id}/active`, { key: hidden.key, body: { active: false } });
    const reply = await browse(`${asQuery({ owner_wallet: mine.address, ...(await signed(mine)) })}`);
    assert.deepEqual(reply.body['data'].map((item: Envelope) => item['id']).sort(), [shown.id, hidden.id].sort());
    const text = JSON.stringify(reply.body);
    for (const { key } of [shown, hidden]) assert.ok(!text.includes(key.slice(-8)));
  });

  test('owner_wallet with a sign-in token lists all agents of the account', async () => {
    const token = await tokenFor(market.url, { email: 'lister@example.com' });
    const mine = await registerAgent(market.url, {}, { key: token });
    const reply = await call(market.url, `GET /api/agents?owner_wallet=${owner.address}`, { key: token });
    assert.deepEqual(
      reply.body['data'].map((item: Envelope) => item['id']),
      [mine.id],
    );
  });

  test('owner_wallet without proof, or with the proof of another wallet, is 401', async () => {
    assert.equal((await browse(`?owner_wallet=${owner.address}`)).status, 401);
    const other = solanaWallet();
    assert.equal((await browse(`${asQuery({ owner_wallet: owner.address, ...(await signed(other)) })}`)).status, 401);
  });

  test('a cursor walk over the agents of owner_wallet returns every agent', async () => {
    const mine = solanaWallet();
    const ids = [];
    for (let i = 0; i < 3; i++) ids.push((await registerOwnedAgent(market.url, mine)).id);
    const seen: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null && seen.length < 10) {
      const more = cursor === '' ? {} : { cursor };
      const { body } = await browse(`${asQuery({ owner_wallet: mine.address, limit: 2, ...(await signed(mine)), ...more })}`);
      assert.equal(body['total'], 3);
      seen.push(...body['data'].map((item: Envelope) => item['id']));
      cursor = body['next_cursor'];
    }
    assert.deepEqual(seen.sort(), ids.sort());
  });
});
