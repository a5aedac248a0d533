/** One agent by id or slug: the public profile, edits by its owner, and taking it off the market. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { registerAgent, registerOwnedAgent, type TestAgent } from '../harness/agents.ts';
import { type CallOptions, call, type Envelope, type Reply } from '../harness/http.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { asHeaders, baseWallet, signed, solanaWallet, type TestWallet, tokenFor } from '../harness/people.ts';
import { createService } from '../harness/services.ts';
import { assertRecord } from './check-record.ts';

let market: TestMarket;
before(async () => {
  market = await openMarket();
});
after(() => market.close());

const get = (idOrSlug: string, options: CallOptions = {}): Promise<Reply> => call(market.url, `GET /api/agents/${idOrSlug}`, options);
const signatureHeaders = async (wallet: TestWallet): Promise<Record<string, string>> => asHeaders(await signed(wallet));

describe('public profile', () => {
  test('the public profile of an agent is the same by id and by slug, with every block', async () => {
    const agent = await registerOwnedAgent(market.url, solanaWallet(), { endpoint_url: 'https://93.184.216.34/hook' });
    const byId = await get(agent.id);
    assert.equal(byId.status, 200);
    assert.deepEqual((await get(agent.slug)).body, byId.body);
    assertRecord(byId.body['data'], [
      { field: 'agent', type: 'object' },
      { field: 'services', type: 'object[]' },
      { field: 'portfolio', type: 'object[]' },
      { field: 'stats', type: 'object' },
      { field: 'reviews', type: 'object[]' },
      { field: 'recentOrders', type: 'object[]' },
      { field: 'paging', type: 'object' },
    ]);
    assertRecord(byId.body['data'].agent, [
      { field: 'id', type: 'string' },
      { field: 'slug', type: 'string' },
      { field: 'name', type: 'string' },
      { field: 'description', type: 'string' },
      { field: 'verified', type: '0 or 1' },
      { field: 'has_endpoint', type: 'boolean' },
      { field: 'capabilities', type: 'string[]' },
      { field: 'ai_models', type: 'string[]' },
      { field: 'is_owner', type: 'boolean' },
      { field: 'marketable', type: 'boolean' },
      { field: 'twitter_username', type: 'string or null' },
    ]);
  });

  test('the public profile shows the newest 12 services; the cursor continues after them', async () => {
    const agent = await registerOwnedAgent(market.url, solanaWallet());
    const created: string[] = [];
    for (let n = 0; n < 15; n++) created.unshift((await createService(market.url, agent, { title: `Careful work number ${n}` }))['id']);
    const { services, paging } = (await get(agent.slug)).body['data'];
    assert.deepEqual(paging.reviews, { total: 0, next_cursor: null });
    assert.deepEqual(paging.portfolio, { total: 0, next_cursor: null });
    assert.equal(paging.services.total, 15);
    const rest = await call(market.url, `GET /api/agents/${agent.slug}/services?cursor=${encodeURIComponent(paging.services.next_cursor)}`);
    const ids = (records: Envelope[]) => records.map(({ id }) => id);
    assert.equal(services.length, 12);
    assert.deepEqual([...ids(services), ...ids(rest.body['data'])], created);
  });

  test('the public profile contains no key, no webhook secret and no endpoint address', async () => {
    const agent = await registerOwnedAgent(market.url, solanaWallet(), { endpoint_url: 'https://93.184.216.34/secret-path' });
    const text = JSON.stringify((await get(agent.id)).body);
    for (const secret of [agent.key, agent.key.slice(-8), agent.answer['webhook_secret'], 'secret-path']) assert.ok(!text.includes(secret));
  });

  test('the profile shows the owner view by wallet, by account and by the agent’s own key, and not to a stranger', async () => {
    const wallet = baseWallet();
    const agent = await registerOwnedAgent(market.url, wallet);
    const isOwner = async (options: CallOptions): Promise<boolean> => (await get(agent.id, options)).body['data'].agent.is_owner;
    assert.equal(await isOwner({ headers: await signatureHeaders(wallet) }), true);
    assert.equal(await isOwner({ key: agent.key }), true);
    assert.equal(await isOwner({}), false);
    assert.equal(await isOwner({ headers: await signatureHeaders(baseWallet()) }), false);
    const token = await tokenFor(market.url, { email: 'linked@example.com', wallets: [{ chain: 'base', address: wallet.address }] });
    assert.equal(await isOwner({ key: token }), false);
    await call(market.url, 'POST /api/auth/user', { key: token });
    assert.equal(await isOwner({ key: token }), true);
  });

  test('the profile of an unknown id or slug is 404', async () => {
    for (const id of ['nobody', 'ext_1700000000000_aaaaaaaaa', 'agt_1700000000000_aaaaaaaaa']) assert.equal((await get(id)).status, 404);
  });
});

describe('PATCH /api/agents/{id}', () => {
  const edit = (agent: TestAgent, options: CallOptions): Promise<Reply> => call(market.url, `PATCH /api/agents/${agent.slug}`, options);

  test('the owner edits an agent by wallet signature in body or headers, or by token; the agent edits itself by its key', async () => {
    const wallet = solanaWallet();
    const token = await tokenFor(market.url, { email: 'editor@example.com' });
    const byWallet = await registerOwnedAgent(market.url, wallet);
    const byToken = await registerAgent(market.url, {}, { key: token });
    const body = { description: 'Edited by its rightful owner.' };
    const edits = [
      await edit(byWallet, { body: { ...body, ...(await signed(wallet)) } }),
      await edit(byWallet, { body, headers: await signatureHeaders(wallet) }),
      await edit(byWallet, { body, key: byWallet.key }),
      await edit(byToken, { body, key: token }),
    ];
    for (const reply of edits) {
      assert.equal(reply.status, 200, JSON.stringify(reply.body));
      assert.equal(reply.body['data'].description, body.description);
      assert.match(reply.body['data'].api_key, /^market_\.\.\..{4}$/);
    }
  });

  test('an edit of an agent is 401 without credentials, 403 for a stranger’s wallet, token or key, and 404 for an unknown agent', async () => {
    const agent = await registerOwnedAgent(market.url, solanaWallet());
    const body = { description: 'Edited by a perfect stranger.' };
    assert.equal((await edit(agent, { body })).status, 401);
    assert.equal((await edit(agent, { body: { ...body, ...(await signed(solanaWallet())) } })).status, 403);
    assert.equal((await edit(agent, { body, key: await tokenFor(market.url, { email: 'stranger@example.com' }) })).status, 403);
    assert.equal((await edit(agent, { body, key: (await registerAgent(market.url)).key })).status, 403);
    const unknown = await call(market.url, 'PATCH /api/agents/nobody', { body, key: agent.key });
    assert.equal(unknown.status, 404);
    assert.equal((await get(agent.id)).body['data'].agent.description, agent.description);
  });

  test('PATCH /api/agents/{id} changes the same fields as /api/agents/me, but never the owner', async () => {
    const agent = await registerAgent(market.url);
    for (const body of [{ owner_wallet: solanaWallet().address }, { idp_user_id: 'usr_1' }]) {
      assert.equal((await edit(agent, { body, key: agent.key })).status, 400);
    }
  });
});

describe('deactivating an agent', () => {
  const setActive = (agent: TestAgent, active: unknown, options: CallOptions): Promise<Reply> =>
    call(market.url, `PATCH /api/agents/${agent.id}/active`, { ...options, body: { active, ...(options.body as object) } });
  const browsed = async (agent: TestAgent): Promise<boolean> => {
    const { body } = await call(market.url, `GET /api/agents?search=${encodeURIComponent(agent.name)}`);
    return body['data'].some((item: Envelope) => item['id'] === agent.id);
  };

  test('deactivating an agent hides it from browse and from strangers, disables its key for all else, and frees its name', async () => {
    const wallet = solanaWallet();
    const agent = await registerOwnedAgent(market.url, wallet);
    assert.equal(await browsed(agent), true);
    const paused = await setActive(agent, false, { key: agent.key });
    assert.deepEqual(paused.body['data'], { id: agent.id, active: 0 });
    assert.equal(await browsed(agent), false);
    assert.equal((await get(agent.id)).status, 404);
    assert.equal((await get(agent.id, { headers: await signatureHeaders(wallet) })).status, 200);
    for (const route of ['GET /api/agents/me', 'GET /api/auth/whoami', 'GET /api/agents'] as const) {
      assert.equal((await call(market.url, route, { key: agent.key })).status, 401, route);
    }
    assert.equal((await registerAgent(market.url, { name: agent.name })).name, agent.name);
  });

  test('the owner and the agent’s key can reactivate an agent', async () => {
    const wallet = solanaWallet();
    const agent = await registerOwnedAgent(market.url, wallet);
    for (const credentials of [{ key: agent.key }, { body: await signed(wallet) }]) {
      assert.equal((await setActive(agent, false, credentials)).status, 200);
      assert.equal((await setActive(agent, true, credentials)).body['data'].active, 1);
      assert.equal((await call(market.url, 'GET /api/agents/me', { key: agent.key })).status, 200);
    }
    assert.equal(await browsed(agent), true);
  });

  test('reactivating an agent is 409 when its name was taken meanwhile', async () => {
    const agent = await registerAgent(market.url);
    await setActive(agent, false, { key: agent.key });
    await registerAgent(market.url, { name: agent.name });
    const reply = await setActive(agent, true, { key: agent.key });
    assert.deepEqual([reply.status, reply.body['code']], [409, 'name_taken']);
  });

  test('deactivating is 401 without credentials, 403 for a stranger, 400 for a value that is not a boolean, 404 for an unknown agent', async () => {
    const agent = await registerOwnedAgent(market.url, solanaWallet());
    assert.equal((await setActive(agent, false, {})).status, 401);
    assert.equal((await setActive(agent, false, { body: await signed(solanaWallet()) })).status, 403);
    for (const wrong of [1, 'false', null, undefined]) assert.equal((await setActive(agent, wrong, { key: agent.key })).status, 400);
    assert.equal((await call(market.url, 'PATCH /api/agents/nobody/active', { key: agent.key, body: { active: true } })).status, 404);
  });
});
