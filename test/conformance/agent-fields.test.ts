/** The Agent table of the specification, row by row. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { registerAgent, registerOwnedAgent } from '../harness/agents.ts';
import { call, type Reply } from '../harness/http.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { agentBody, signed, solanaWallet, tokenFor } from '../harness/people.ts';
import { assertRecord } from './check-record.ts';
import { agentTable, refusedEndpoints, registrationTable, specCategories } from './spec-tables.ts';

const ENDPOINT = 'https://93.184.216.34/hook';

let market: TestMarket;
before(async () => {
  market = await openMarket();
});
after(() => market.close());

const register = (body: Record<string, unknown>): Promise<Reply> => call(market.url, 'POST /api/agents/register', { body });

test('the registration answer contains every field of its table', async () => {
  const agent = await registerAgent(market.url, { endpoint_url: ENDPOINT });
  assertRecord(agent.answer, registrationTable);
  assert.ok(agent.answer['webhook_secret'].startsWith('whsec_'));
});

test('an agent’s own profile contains every field of the Agent table', async () => {
  const owner = solanaWallet();
  const agent = await registerOwnedAgent(market.url, owner, {
    capabilities: ['coding', 'seo'],
    endpoint_url: ENDPOINT,
    avatar_url: 'https://images.example.org/a.png',
    ai_models: ['llama-4'],
  });
  const { status, body } = await call(market.url, 'GET /api/agents/me', { key: agent.key });
  assert.equal(status, 200);
  assertRecord(body['data'], agentTable);
  assert.deepEqual(body['data'].capabilities, ['coding', 'seo']);
  assert.equal(body['data'].owner_wallet, owner.address);
  assert.equal(body['data'].agent_id, agent.id);
  assert.equal(body['data'].id, agent.id);
});

describe('P01: name', () => {
  const accepted = ['Ab3', "O'Brien - Sons", 'Dot.Dash-Under_Score', 'Forty'.repeat(8), '3rd Rail'];
  for (const name of accepted) {
    test(`the name ${JSON.stringify(name)} is accepted`, async () => {
      const reply = await register({ ...agentBody(), name });
      assert.equal(reply.status, 201, JSON.stringify(reply.body));
    });
  }

  const refused = [
    'Ab',
    'x'.repeat(41),
    '',
    '   ',
    'Caffè',
    'Semi;colon',
    'Slash/Name',
    '<b>Bold</b>',
    'Emoji 🙂',
    'Tab\u202eName!',
    '-Ada',
    '42 17',
    17,
    null,
  ];
  for (const name of refused) {
    test(`the name ${JSON.stringify(name)} is refused with 400`, async () => {
      const reply = await register({ ...agentBody(), name });
      assert.equal(reply.status, 400, JSON.stringify(reply.body));
      assert.match(reply.body['error'], /name/);
    });
  }

  test('a name is unique across active agents, ignoring case, spacing and look-alike letters', async () => {
    await registerAgent(market.url, { name: 'Quillo Works' });
    for (const name of ['Quillo Works', 'quillo works', 'Quillo  Works', 'QuilloWorks', 'Qui11o Work5', 'Quillo.Works']) {
      const reply = await register({ ...agentBody(), name });
      assert.equal(reply.status, 409, name);
    }
  });

  test('a missing name is refused with 400', async () => {
    const { name: _, ...rest } = agentBody();
    assert.equal((await register(rest)).status, 400);
  });
});

describe('description', () => {
  for (const length of [10, 500]) {
    test(`a description of ${length} characters is accepted`, async () => {
      assert.equal((await register(agentBody({ description: 'd'.repeat(length) }))).status, 201);
    });
  }
  for (const description of ['d'.repeat(9), 'd'.repeat(501), ' '.repeat(20), 7, undefined]) {
    test(`P02: the description ${JSON.stringify(description)?.slice(0, 20)} is refused with a 400 that states 10-500 characters`, async () => {
      const reply = await register(agentBody({ description }));
      assert.equal(reply.status, 400);
      assert.match(reply.body['error'], /description must be 10-500 characters/);
    });
  }
});

describe('slug', () => {
  test('the slug of an agent is derived from its name', async () => {
    const { slug } = await registerAgent(market.url, { name: "Mona's Atelier No. Nine" });
    assert.equal(slug, 'mona-s-atelier-no-nine');
  });

  test('the slug of an agent is never a word reserved for routes, and stays unique after its first agent left', async () => {
    const featured = await registerAgent(market.url, { name: 'Featured' });
    assert.notEqual(featured.slug, 'featured');
    const first = await registerAgent(market.url, { name: 'Vela Vox' });
    await call(market.url, `PATCH /api/agents/${first.id}/active`, { key: first.key, body: { active: false } });
    const second = await registerAgent(market.url, { name: 'Vela Vox' });
    assert.notEqual(second.slug, first.slug);
  });
});

describe('capabilities', () => {
  test('capabilities accept any subset of the 12 categories', async () => {
    assert.equal(specCategories.length, 12);
    for (const capabilities of [[], ['custom'], [...specCategories]]) {
      const agent = await registerAgent(market.url, { capabilities });
      const { body } = await call(market.url, 'GET /api/agents/me', { key: agent.key });
      assert.deepEqual(body['data'].capabilities, capabilities);
    }
  });

  for (const capabilities of [['cooking'], ['coding', 'cooking'], 'coding', [1], {}]) {
    test(`capabilities ${JSON.stringify(capabilities)} are refused with 400`, async () => {
      assert.equal((await register(agentBody({ capabilities }))).status, 400);
    });
  }
});

describe('endpoint_url', () => {
  test('a public HTTPS endpoint_url is accepted, also on a high port', async () => {
    for (const endpoint_url of [ENDPOINT, 'https://93.184.216.34:8443/a?b=c', 'https://[2606:4700::1111]/hook']) {
      assert.equal((await register(agentBody({ endpoint_url }))).status, 201, endpoint_url);
    }
  });

  for (const endpoint_url of refusedEndpoints) {
    test(`endpoint_url ${endpoint_url} is refused with 400 at registration and by PATCH`, async () => {
      assert.equal((await register(agentBody({ endpoint_url }))).status, 400);
      const { key } = await registerAgent(market.url);
      const patched = await call(market.url, 'PATCH /api/agents/me', { key, body: { endpoint_url } });
      assert.equal(patched.status, 400, JSON.stringify(patched.body));
    });
  }

  test('an endpoint_url on the service itself, or with a host that does not resolve, is refused', async () => {
    const own = await register(agentBody({ endpoint_url: market.url.replace('http:', 'https:') }));
    assert.equal(own.status, 400);
    const lost = await register(agentBody({ endpoint_url: 'https://no-such-host.invalid/hook' }));
    assert.equal(lost.status, 400);
  });
});

describe('secrets', () => {
  test('api_key is shown once and masked to its last 4 characters on later reads', async () => {
    const agent = await registerAgent(market.url);
    assert.match(agent.key, /^market_[0-9a-f]{48}$/);
    for (const route of ['GET /api/agents/me', 'PATCH /api/agents/me'] as const) {
      const reply = await call(market.url, route, { key: agent.key, ...(route.startsWith('PATCH') && { body: { ai_models: ['m'] } }) });
      assert.equal(reply.body['data'].api_key, `market_...${agent.key.slice(-4)}`);
      assert.ok(!JSON.stringify(reply.body).includes(agent.key));
    }
  });

  test('webhook_secret is created when endpoint_url is first set and returned in full on later reads', async () => {
    const { key, answer } = await registerAgent(market.url);
    assert.equal(answer['webhook_secret'], null);
    assert.equal((await call(market.url, 'GET /api/agents/me', { key })).body['data'].webhook_secret, null);
    const patched = await call(market.url, 'PATCH /api/agents/me', { key, body: { endpoint_url: ENDPOINT } });
    const secret: string = patched.body['data'].webhook_secret;
    assert.match(secret, /^whsec_[0-9a-f]{64}$/);
    assert.equal((await call(market.url, 'GET /api/agents/me', { key })).body['data'].webhook_secret, secret);
  });

  test('webhook_secret stays the same when endpoint_url changes, is cleared and set again', async () => {
    const { key, answer } = await registerAgent(market.url, { endpoint_url: ENDPOINT });
    for (const endpoint_url of ['https://93.184.216.34/other', null, ENDPOINT]) {
      const { body } = await call(market.url, 'PATCH /api/agents/me', { key, body: { endpoint_url } });
      assert.equal(body['data'].endpoint_url, endpoint_url);
      assert.equal(body['data'].webhook_secret, answer['webhook_secret']);
    }
  });
});

test('marketable is false until an owner is attached', async () => {
  const wallet = solanaWallet();
  assert.equal((await registerAgent(market.url)).answer['marketable'], false);
  assert.equal((await registerAgent(market.url, { owner_wallet: wallet.address })).answer['marketable'], false);
  assert.equal((await registerAgent(market.url, await signed(wallet))).answer['marketable'], true);
});

test('twitter_username is null, or the X handle linked to the owner', async () => {
  assert.equal((await registerAgent(market.url)).answer['twitter_username'], null);
  const key = await tokenFor(market.url, { email: 'handle@example.com', twitter_username: '@Handle_Owner' });
  assert.equal((await registerAgent(market.url, {}, { key })).answer['twitter_username'], 'handle_owner');
});

test('a new agent has verified 0 and total_orders 0, and protocol_spec lists its required endpoints', async () => {
  const { key, answer } = await registerAgent(market.url);
  const { body } = await call(market.url, 'GET /api/agents/me', { key });
  assert.equal(body['data'].verified, 0);
  assert.equal(body['data'].total_orders, 0);
  for (const { protocol_spec } of [answer, body['data']]) {
    assert.ok(Array.isArray(protocol_spec.required_endpoints) && protocol_spec.required_endpoints.length > 0);
  }
});
