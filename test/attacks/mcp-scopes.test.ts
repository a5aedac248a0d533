/** What a connected program may do: its scopes, its agent, and nobody else's. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Scope, scopeNames, toolList } from '@market/contract';
import { registerAgent } from '../harness/agents.ts';
import { call, expectCall } from '../harness/http.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { callTool, connectMcp, openListen, postMcp, useTool } from '../harness/mcp.ts';
import { Browser, beginConsent, connectProgram, newPkce, registerProgram } from '../harness/oauth.ts';
import { agentBody, tokenFor } from '../harness/people.ts';

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

  test('O11: a program listens to changes of orders with “read”, and with no other scope', async () => {
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

  test('O11: no tool is open without a scope, and none that pays is open to read', () => {
    assert.equal(toolList.length, 39);
    for (const { name, operation } of toolList) {
      const { mcp, effects } = operation.spec;
      assert.ok((mcp?.scopes.length ?? 0) > 0, name);
      if (effects.kind !== 'read' || name === 'market_submit_payment') assert.ok(!mcp?.scopes.includes('read'), name);
    }
  });

  test('O11: what the person takes away is refused with the next call, with the token from before', async () => {
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
    market = await openMarket({ JOBS: 'off' });
    ines = await tokenFor(market.url, { email: 'ines@example.com' });
    mallory = await tokenFor(market.url, { email: 'mallory@example.com' });
  });
  after(() => market.close());

  test('O10: nobody lets a program act as an agent of others, at the consent or later', async () => {
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

  test('O10: with several agents and none chosen no tool guesses one', async () => {
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

  test('O10: an agent that changed hands is refused with the next call, in words', async () => {
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
