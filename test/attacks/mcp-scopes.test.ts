/** Limits of a connected program: its scopes, its agent, and nobody else's. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Scope, scopeNames, toolList } from '@market/contract';
import { registerAgent, registerOwnedAgent, type TestAgent } from '../harness/agents.ts';
import { claimBounty, postBounty } from '../harness/bounties.ts';
import { call, expectCall } from '../harness/http.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { callTool, connectMcp, openListen, postMcp, useTool } from '../harness/mcp.ts';
import { Browser, beginConsent, connectProgram, newPkce, registerProgram } from '../harness/oauth.ts';
import { BRIEF, listService, openProvider } from '../harness/orders.ts';
import { agentBody, baseWallet, linkWallet, signed, signedFor, solanaWallet, tokenFor } from '../harness/people.ts';

const ALL = scopeNames.join(' ');

describe('scopes', () => {
  let market: TestMarket;
  let ines: string;
  before(async () => {
    market = await openMarket({ JOBS: 'off' });
    ines = await tokenFor(market.url, { email: 'ines@example.com' });
  });
  after(() => market.close());

  for (const scope of scopeNames) {
    test(`O11: with “${scope}” alone each of the 39 tools is open or names the scope it needs`, async () => {
      const { accessToken } = await connectProgram(market.url, ines, { scope });
      const client = await connectMcp(market.url, accessToken);
      for (const { name, operation } of toolList) {
        const { isError, structuredContent } = await callTool(client, name.replace('market_', ''));
        const needed: readonly Scope[] = operation.spec.mcp?.scopes ?? [];
        const isOpen = needed.includes(scope);
        assert.equal(
          structuredContent['code'] === 'insufficient_scope',
          !isOpen,
          `${name}: ${JSON.stringify(structuredContent).slice(0, 300)}`,
        );
        if (isOpen) continue;
        assert.equal(isError, true);
        assert.deepEqual(structuredContent['data'], { needed, granted: [scope] });
        assert.match(String(structuredContent['error']), /Connect it again and allow it/);
      }
      await client.close();
    });
  }

  test('O11: a program follows changes of orders with “read”, and with no other scope', async () => {
    for (const scope of scopeNames) {
      const { accessToken } = await connectProgram(market.url, ines, { scope });
      const listening = await openListen(market.url, accessToken);
      assert.equal(listening.status, scope === 'read' ? 200 : 403, scope);
      if (scope === 'read') {
        listening.close();
        continue;
      }
      const { error } = JSON.parse(await listening.ended);
      assert.deepEqual([error.data.code, error.data.data], ['insufficient_scope', { needed: ['read'], granted: [scope] }]);
      const challenge = listening.headers['www-authenticate'] ?? '';
      assert.ok(challenge.startsWith('Bearer error="insufficient_scope"') && challenge.endsWith(`scope="${scope} read"`), challenge);
    }
  });

  test('O11: no MCP tool works without a scope, and none that pays or writes works with “read” alone', () => {
    assert.equal(toolList.length, 39);
    for (const { name, operation } of toolList) {
      const { mcp, effects } = operation.spec;
      assert.ok((mcp?.scopes.length ?? 0) > 0, name);
      if (effects.kind !== 'read' || name === 'market_submit_payment') assert.ok(!mcp?.scopes.includes('read'), name);
    }
  });

  test('O11: a scope that the person removes is refused from the next call on, with the token from before', async () => {
    const { accessToken, connectionId } = await connectProgram(market.url, ines, { scope: ALL });
    const client = await connectMcp(market.url, accessToken);
    assert.notEqual((await callTool(client, 'create_service')).structuredContent['code'], 'insufficient_scope');
    await expectCall(market.url, 200, `PATCH /api/connections/${connectionId}`, { key: ines, body: { scopes: ['read'] } });
    assert.equal((await callTool(client, 'create_service')).structuredContent['code'], 'insufficient_scope');
    await client.close();
  });
});

describe('the agent of a connection', () => {
  let market: TestMarket;
  let ines: string;
  let mallory: string;
  before(async () => {
    market = await openMarket({ JOBS: 'off', OUTBOUND_ALLOW: '127.0.0.1' });
    ines = await tokenFor(market.url, { email: 'ines@example.com' });
    mallory = await tokenFor(market.url, { email: 'mallory@example.com' });
  });
  after(() => market.close());

  test('O10: no consent or later change lets a program act as an agent of others', async () => {
    const theirs = await registerAgent(market.url, {}, { key: mallory });
    const { connectionId } = await connectProgram(market.url, ines);
    const changed = await call(market.url, `PATCH /api/connections/${connectionId}`, { key: ines, body: { agent_id: theirs.id } });
    assert.deepEqual([changed.status, changed.body['code']], [403, 'forbidden']);
    const browser = new Browser(market.url, { 'idp-token': ines });
    const consent = await beginConsent(browser, { clientId: await registerProgram(market.url), challenge: newPkce().challenge });
    const { data } = (await browser.send(`GET ${consent}/details`)).body;
    assert.ok(!JSON.stringify(data.agents).includes(theirs.id));
    for (const agent_id of [theirs.id, 'ext_1700000000000_unknown00', "'; drop table agents"]) {
      const body = { proof: data.proof, allow: true, scopes: ['read'], agent_id, daily_limit_usd: null };
      const reply = await browser.send(`POST ${consent}/decision`, { body });
      assert.match(String(reply.status), /^40[34]$/, agent_id);
    }
  });

  test('O10: a program with several agents and none chosen gets no tool that guesses one', async () => {
    const mine = [await registerAgent(market.url, {}, { key: ines }), await registerAgent(market.url, {}, { key: ines })];
    const { accessToken, connectionId } = await connectProgram(market.url, ines, { scope: ALL });
    const client = await connectMcp(market.url, accessToken);
    const guessed = await callTool(client, 'get_profile');
    assert.equal(guessed.isError, true);
    for (const { id, name } of mine) assert.ok(!JSON.stringify(guessed).includes(id) && !JSON.stringify(guessed).includes(name));
    const [, second] = mine;
    await expectCall(market.url, 200, `PATCH /api/connections/${connectionId}`, { key: ines, body: { agent_id: second?.id } });
    assert.equal((await useTool(client, 'get_profile'))['id'], second?.id);
    await client.close();
  });

  test('O10: a program’s agent that changed hands is refused from the next call on, with an explanation', async () => {
    const agent = await registerAgent(market.url, {}, { key: ines });
    const { accessToken } = await connectProgram(market.url, ines, { scope: ALL, agent_id: agent.id });
    const client = await connectMcp(market.url, accessToken);
    assert.equal((await useTool(client, 'get_profile'))['id'], agent.id);
    await market.database.pool.query('update agents set owner_user_id = null where id = $1', [agent.id]);
    const reply = await postMcp(market.url, { jsonrpc: '2.0', id: 1, method: 'tools/list' }, { authorization: `Bearer ${accessToken}` });
    assert.equal(reply.status, 403);
    assert.match(reply.text, /no longer owns the agent/);
    await client.close();
  });

  test('O10: with one agent chosen, no tool acts as another agent of the person or on its orders', async () => {
    const [chosen, other] = [await registerAgent(market.url, {}, { key: ines }), await registerAgent(market.url, {}, { key: ines })];
    const calls = await callsOn(market, ines, other);
    const named = toolList.filter(({ definition }) => /"(agent|order|service)_id":/.test(JSON.stringify(definition.inputSchema)));
    assert.deepEqual(
      named.map(({ name }) => name.replace('market_', '')).filter((name) => !OPEN_TO_ANYBODY.has(name)),
      toolList.map(({ name }) => name.replace('market_', '')).filter((name) => calls.some(([tool]) => tool === name)),
    );
    const asChosen = await connectProgram(market.url, ines, { scope: ALL, agent_id: chosen.id });
    const client = await connectMcp(market.url, asChosen.accessToken);
    for (const [tool, args] of calls) {
      const { isError, structuredContent } = await callTool(client, tool, args);
      const shown = `${tool}: ${JSON.stringify(structuredContent).slice(0, 300)}`;
      assert.equal(isError, true, shown);
      assert.match(String(structuredContent['code']), STRANGER, shown);
    }
    await client.close();
    const asOther = await connectProgram(market.url, ines, { scope: ALL, agent_id: other.id });
    const own = await connectMcp(market.url, asOther.accessToken);
    for (const [tool, args] of calls) {
      const { structuredContent } = await callTool(own, tool, args);
      assert.doesNotMatch(String(structuredContent['code']), STRANGER, `${tool}: ${JSON.stringify(structuredContent).slice(0, 300)}`);
    }
    await own.close();
  });

  test('O10: with one agent chosen, the program still reads what the person bought in their own name', async () => {
    const provider = await openProvider(market.url);
    const body = { service_id: await listService(market.url, provider), brief: BRIEF };
    const { order_id } = await expectCall(market.url, 200, 'POST /api/orders', { key: ines, body });
    const { id: agent_id } = await registerAgent(market.url, {}, { key: ines });
    const { accessToken } = await connectProgram(market.url, ines, { scope: ALL, agent_id });
    const client = await connectMcp(market.url, accessToken);
    assert.equal((await useTool(client, 'get_order', { order_id }))['order'].id, order_id);
    await useTool(client, 'cancel_order', { order_id });
    await client.close();
  });

  test('O10: with one agent chosen, a bounty shows the program no claim of another agent', async () => {
    const [chosen, other] = [await registerAgent(market.url, {}, { key: ines }), await registerAgent(market.url, {}, { key: ines })];
    const { id: bounty_id } = await postBounty(market.url, baseWallet());
    await claimBounty(market.url, bounty_id, other);
    for (const [agent, claims] of [
      [chosen, 0],
      [other, 1],
    ] as const) {
      const { accessToken } = await connectProgram(market.url, ines, { scope: ALL, agent_id: agent.id });
      const client = await connectMcp(market.url, accessToken);
      const { my_claims: mine } = await useTool(client, 'get_bounty', { bounty_id, include_claims: '1' });
      assert.equal(mine.length, claims);
      await client.close();
    }
  });

  test('O10: a program changes no payout and no ownership; only a signature of the owner wallet does', async () => {
    const wallet = solanaWallet();
    const agent = await registerOwnedAgent(market.url, wallet);
    await linkWallet(market.url, ines, wallet);
    const { user } = await expectCall(market.url, 200, 'GET /api/auth/whoami', { key: ines });
    const { accessToken } = await connectProgram(market.url, ines, { scope: ALL, agent_id: agent.id });
    const client = await connectMcp(market.url, accessToken);
    const mine = { payout_wallet: solanaWallet().address };
    for (const change of [
      mine,
      { payout_chain: 'solana' },
      { payout_address_base: baseWallet().address },
      { idp_user_id: user.idp_user_id },
    ]) {
      const { structuredContent } = await callTool(client, 'update_profile', change);
      assert.equal(structuredContent['code'], 'owner_proof_required', JSON.stringify([change, structuredContent]));
      assert.match(String(structuredContent['error']), /A connected program cannot change this/);
    }
    const ordinary = await callTool(client, 'update_profile', { ...mine, ...(await signed(wallet)) });
    assert.equal(ordinary.structuredContent['code'], 'custody_signature_required');
    const proof = await signedFor(market.url, wallet, { method: 'PATCH', path: '/api/agents/me', body: mine });
    assert.equal((await useTool(client, 'update_profile', { ...mine, ...proof }))['payout_wallet'], mine.payout_wallet);
    await client.close();
  });

  test('O10: a program gets no secret that outlives its connection; the owner recovers the key', async () => {
    const { accessToken } = await connectProgram(market.url, ines, { scope: ALL });
    const client = await connectMcp(market.url, accessToken);
    const { name, description } = agentBody();
    const made = await useTool(client, 'register_agent', { name, description, endpoint_url: 'http://127.0.0.1:9/hook' });
    assert.deepEqual([made['api_key'], made['webhook_secret']], [null, null]);
    assert.match(made['note'], /POST \/api\/agents\/recover/);
    const profiles = [
      await useTool(client, 'get_profile'),
      await useTool(client, 'update_profile', { description: `${description} Still.` }),
    ];
    for (const { api_key, webhook_secret } of profiles) {
      assert.equal(webhook_secret, null);
      assert.match(api_key, /^market_\.\.\.[0-9a-f]{4}$/);
    }
    const { agents } = await expectCall(market.url, 200, 'POST /api/agents/recover', { key: ines, body: { agent_name: name } });
    const own = await expectCall(market.url, 200, 'GET /api/agents/me', { key: agents[0].api_key });
    assert.ok(own['webhook_secret']);
    await client.close();
  });

  test('O10: a deactivated agent of a connection is refused with an explanation, and cannot be chosen', async () => {
    const agent = await registerAgent(market.url, {}, { key: ines });
    const { accessToken, connectionId } = await connectProgram(market.url, ines, { scope: ALL, agent_id: agent.id });
    await expectCall(market.url, 200, `PATCH /api/agents/${agent.id}/active`, { key: ines, body: { active: false } });
    const reply = await postMcp(market.url, { jsonrpc: '2.0', id: 1, method: 'tools/list' }, { authorization: `Bearer ${accessToken}` });
    assert.equal(reply.status, 403);
    assert.ok(reply.text.includes(`The agent ${agent.name} is deactivated. Choose another under Connected programs.`), reply.text);
    const path = `PATCH /api/connections/${connectionId}` as const;
    const again = await expectCall(market.url, 403, path, { key: ines, body: { agent_id: agent.id } });
    assert.equal(again['code'], 'agent_deactivated');
    await expectCall(market.url, 200, path, { key: ines, body: { scopes: ['read'] } });
    const browser = new Browser(market.url, { 'idp-token': ines });
    const consent = await beginConsent(browser, { clientId: await registerProgram(market.url), challenge: newPkce().challenge });
    const { data } = (await browser.send(`GET ${consent}/details`)).body;
    assert.ok(!JSON.stringify(data.agents).includes(agent.id));
    const body = { proof: data.proof, allow: true, scopes: ['read'], agent_id: agent.id, daily_limit_usd: null };
    const decided = await browser.send(`POST ${consent}/decision`, { body });
    assert.deepEqual([decided.status, decided.body['code']], [403, 'agent_deactivated']);
  });

  test('O10: an agent that a program registers belongs to the person, and becomes the agent of the connection', async () => {
    const { accessToken, connectionId } = await connectProgram(market.url, ines, { scope: ALL });
    const client = await connectMcp(market.url, accessToken);
    const { name, description } = agentBody();
    const made = await useTool(client, 'register_agent', { name, description });
    assert.equal((await useTool(client, 'get_profile'))['id'], made['agent_id']);
    const mine = await expectCall(market.url, 200, 'GET /api/agents/my', { key: ines });
    assert.ok(mine['some']((agent: { id: string }) => agent.id === made['agent_id']));
    const [listed] = (await expectCall(market.url, 200, 'GET /api/connections', { key: ines })) as unknown as {
      id: string;
      agent_id: string;
    }[];
    assert.deepEqual([listed?.id, listed?.agent_id], [connectionId, made['agent_id']]);
    const another = agentBody();
    await useTool(client, 'register_agent', { name: another.name, description: another['description'] });
    assert.equal((await useTool(client, 'get_profile'))['id'], made['agent_id']);
    await client.close();
  });

  test('O10: a connected program is never an administrator, and reaches nothing but tools', async () => {
    const admin = await tokenFor(market.url, { email: 'boss@example.com', admin: true });
    const { accessToken, connectionId } = await connectProgram(market.url, admin, { scope: ALL });
    for (const route of ['GET /api/admin/bans', 'GET /api/disputes', `DELETE /api/connections/${connectionId}`] as const) {
      const { status } = await call(market.url, route, { key: accessToken });
      assert.ok(status === 401 || status === 404, `${route}: ${status}`);
    }
  });
});

/** Error codes for a caller who is neither the owner nor a party. */
const STRANGER = /^(forbidden|not_your_order|not_token_owner)$/;

/** Tools on records that anybody may read or pay for. `earn_withdraw` refuses every agent_id once an agent is chosen. */
const OPEN_TO_ANYBODY = new Set(['list_services', 'get_token', 'get_payment_requirements', 'submit_payment', 'earn_withdraw']);

/** One call of each tool that names this agent, its service, or an order that it bought or sold. Destructive calls come last. */
async function callsOn({ url }: TestMarket, owner: string, agent: TestAgent): Promise<[tool: string, args: Record<string, unknown>][]> {
  const headers = { authorization: `Bearer ${agent.key}` };
  const stranger = await openProvider(url);
  const service_id = await listService(url, { id: agent.id, headers }, { price_type: 'quote', price_usd: '0' });
  const hired = { service_id: await listService(url, stranger), brief: BRIEF };
  const { order_id: sold } = await expectCall(url, 200, 'POST /api/orders', { key: stranger.key, body: { service_id, brief: BRIEF } });
  // The person's account is a party to this order beside the agent.
  const { order_id: bought } = await expectCall(url, 200, 'POST /api/orders', { headers, body: { ...hired, idp_access_token: owner } });
  const bounty_id = (await postBounty(url, baseWallet()))['id'];
  const agent_id = agent.id;
  const token = { token_mint: solanaWallet().address, token_name: 'Any', token_symbol: 'ANY', token_mode: 'byot' };
  const creator = solanaWallet();
  await linkWallet(url, owner, creator);
  const both = [sold, bought].flatMap((order_id): [string, Record<string, unknown>][] => [
    ['get_order', { order_id }],
    ['get_messages', { order_id }],
    ['send_message', { order_id, content: 'When do you begin?' }],
    ['dispute_order', { order_id, reason: 'Half of the pages are missing.' }],
  ]);
  return [
    ['manage_portfolio', { agent_id, action: 'hide', source_type: 'order', source_id: sold }],
    [
      'create_service',
      { agent_id, category: 'custom', title: 'Proofreading of almanacs', description: 'Reads twice.', price_usd: '10.00' },
    ],
    ['update_service', { service_id, turnaround_hours: 12 }],
    ['poll_orders', { agent_id }],
    ...both,
    ['quote_order', { order_id: sold, price_usd: '12.50' }],
    ['deliver_order', { order_id: sold, deliverable_url: 'https://example.com/result', deliverable_media_type: 'link' }],
    ['approve_order', { order_id: bought }],
    ['request_revision', { order_id: bought, feedback: 'Please mark the slips in red.' }],
    ['claim_bounty', { bounty_id, agent_id, message: 'I do this every week.' }],
    ['withdraw_claim', { bounty_id, agent_id }],
    ['register_token', { agent_id, ...token, token_creator_wallet: creator.address, ...(await signed(creator)) }],
    ['launch_token', { agent_id, symbol: 'TIDE' }],
    ['cancel_order', { order_id: bought }],
    ['delete_service', { service_id }],
  ];
}
