/** Permissions of an MCP caller: a person's approval, budget sessions, scopes of a connection, and a wallet's proof in the arguments. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ProtocolError } from '@modelcontextprotocol/client';
import { registerOwnedAgent, type TestAgent } from '../harness/agents.ts';
import { call } from '../harness/http.ts';
import { type MachineBuyer, openMachineBuyer } from '../harness/machine-buyers.ts';
import { openMarket, type TestMarket, withChains } from '../harness/market.ts';
import { callTool, connectMcp, envelope, NEWEST, type Posted, postMcp } from '../harness/mcp.ts';
import { connectProgram } from '../harness/oauth.ts';
import { listService, openProvider } from '../harness/orders.ts';
import { signed, solanaWallet, tokenFor } from '../harness/people.ts';
import { asOwner, setPolicy } from '../spending/stage.ts';

const NETWORK = 'base-mainnet';
const URL_ASKED = { elicitation: { url: {} } };

let market: TestMarket;
let owner: MachineBuyer;
let agent: TestAgent;
let args: Record<string, unknown>;
before(async () => {
  market = await openMarket(withChains);
  const provider = await openProvider(market.url);
  const serviceId = await listService(market.url, provider, { price_usd: '1.00' });
  owner = await openMachineBuyer(market, NETWORK);
  agent = await registerOwnedAgent(market.url, owner);
  args = { service_id: serviceId, brief: 'A logo for a bakery, in three colours.' };
});
after(() => market.close());

async function signPayment(): Promise<Record<string, unknown>> {
  const { body } = await call(market.url, `GET /api/x402/requirements?service_id=${String(args['service_id'])}`);
  const offer = body['data'].accepts.find((one: { network: string }) => one.network === market.chains.get(NETWORK)?.caip2);
  return { x402Version: 2, accepted: offer, payload: await owner.authorise(offer) };
}

/** Calls the tool as an official client of the newest revision does. */
async function hire(capabilities: object, more: object = {}, meta: object = {}): Promise<Posted> {
  const params = { name: 'market_submit_payment', arguments: args, ...more, _meta: { 'x402/payment': await signPayment(), ...meta } };
  return await postMcp(market.url, envelope('tools/call', params, capabilities), {
    authorization: `Bearer ${agent.key}`,
    'mcp-protocol-version': NEWEST,
    'mcp-method': 'tools/call',
    'mcp-name': 'market_submit_payment',
  });
}

const policy = (rules: Record<string, unknown>) => setPolicy({ urls: [market.url, market.url], owner, agent }, rules);

test('an MCP payment above the owner’s limit asks for input at the approval page; once approved, the repeated call passes', async () => {
  await policy({ approve_above_usd: '1.00' });
  const asked = await hire(URL_ASKED);
  const { resultType, inputRequests } = asked.json.result;
  assert.equal(resultType, 'input_required', asked.text);
  const { method, params } = inputRequests.approval;
  assert.deepEqual([method, params.mode], ['elicitation/create', 'url']);
  assert.ok(params.url.startsWith(`${market.url}/build/spending?approval=apr_`), params.url);
  assert.match(params.message, /1\.10 USD/);

  const early = await hire(URL_ASKED, { inputResponses: { approval: { action: 'accept' } } });
  assert.equal(early.json.result.resultType, 'input_required', 'saying yes is no approval');
  const approvalId = new URL(params.url).searchParams.get('approval');
  const decided = await asOwner(market.url, owner, `POST /api/spending/approvals/${approvalId}`, { decision: 'approve' });
  assert.equal(decided.status, 200, JSON.stringify(decided.body));
  const paid = await hire(URL_ASKED, { inputResponses: { approval: { action: 'accept' } } });
  assert.equal(paid.json.result.structuredContent.data.status, 'paid', paid.text);
});

test('an MCP client that cannot open a page is refused with the address of the approval page', async () => {
  const refused = await hire({});
  assert.equal(refused.json.result.isError, true);
  assert.deepEqual([refused.json.result.structuredContent.code, refused.json.result.structuredContent.status], ['approval_required', 403]);
  const client = await connectMcp(market.url, agent.key, 'legacy');
  const older = await callTool(client, 'submit_payment', args, { 'x402/payment': await signPayment() });
  const [text] = older.content;
  assert.ok(text?.type === 'text' && text.text.includes('/build/spending?approval=apr_'));
  await client.close();
});

test('a refused MCP payment names the rule; a budget session in _meta pays within its amount only', async () => {
  await policy({ per_day_usd: '0.50' });
  const refused = await hire({});
  assert.deepEqual(
    [refused.json.result.structuredContent.code, refused.json.result.structuredContent.data.rule],
    ['spend_refused', 'per_day'],
  );
  await policy({ per_day_usd: '100.00' });
  const opened = await call(market.url, 'POST /api/spending/budgets', {
    key: agent.key,
    body: { amount_usd: '1.50', expires_in_seconds: 600 },
  });
  assert.equal(opened.status, 201, JSON.stringify(opened.body));
  const budget = { 'market/budget': opened.body['data'].id };
  assert.equal((await hire({}, {}, budget)).json.result.structuredContent.data.status, 'paid');
  const beyond = await hire({}, {}, budget);
  assert.equal(beyond.json.result.structuredContent.code, 'budget_session_unusable', beyond.text);
  for (const wrong of [7, {}, null, 'bud_none']) {
    const { json, text } = await hire({}, {}, { 'market/budget': wrong });
    assert.equal(json.result.isError, true, text);
  }
});

test('a connection without the scope is refused with the scope it needs, readable for people and for hosts', async () => {
  const token = await tokenFor(market.url, { email: 'ines@example.com' });
  const { accessToken } = await connectProgram(market.url, token, { scope: 'read' });
  const client = await connectMcp(market.url, accessToken);
  assert.notEqual((await callTool(client, 'platform_stats')).isError, true);
  const refused = await callTool(client, 'submit_payment', args);
  assert.deepEqual([refused.structuredContent['code'], refused.structuredContent['data'].needed], ['insufficient_scope', ['hire']]);
  const challenges = JSON.stringify(refused._meta?.['mcp/www_authenticate'] ?? '');
  assert.match(
    challenges,
    /^\["Bearer error=\\"insufficient_scope\\", .*oauth-protected-resource\/mcp\\", scope=\\"read hire\\""\]$/,
    'it keeps what it has',
  );
  await client.close();

  const worker = await connectProgram(market.url, token, { scope: 'work' });
  const other = await connectMcp(market.url, worker.accessToken);
  const unread = await other.readResource({ uri: 'market://orders/ord_1' }).catch((error: unknown) => error as ProtocolError);
  assert.ok(unread instanceof ProtocolError);
  const { code, data } = unread.data as Record<string, unknown>;
  assert.deepEqual([unread.code, code, data], [-32602, 'insufficient_scope', { needed: ['read'], granted: ['work'] }]);
  assert.match(String((unread.data as Record<string, unknown>)['mcp/www_authenticate']), /^Bearer error="insufficient_scope"/);
  await other.close();
});

test('a program without an agent learns that its person must choose one, where, and which tool registers one', async () => {
  const token = await tokenFor(market.url, { email: 'otis@example.com' });
  const { accessToken } = await connectProgram(market.url, token, { scope: 'read work' });
  const client = await connectMcp(market.url, accessToken);
  for (const [tool, given] of [
    ['get_profile', {}],
    ['update_profile', { description: 'Writes short texts for shops.' }],
  ] as const) {
    const { isError, structuredContent } = await callTool(client, tool, given);
    assert.deepEqual([isError, structuredContent['code'], structuredContent['status']], [true, 'wrong_credential', 403], tool);
    assert.match(structuredContent['error'], /Choose an agent: .*Account → Connected programs.*market_register_agent/);
    assert.doesNotMatch(structuredContent['error'], /Bearer|API key/);
    const [choose, register] = structuredContent['next_actions'];
    assert.match(choose.meaning, /PATCH \/api\/connections\/\w+ with agent_id/);
    assert.deepEqual([choose.action, register.tool.name], ['choose_agent', 'market_register_agent']);
  }
  const queue = client.readResource({ uri: 'market://orders/to-work-on' });
  await assert.rejects(queue, /Choose an agent/);
  const { agent_id: id } = (await callTool(client, 'register_agent', { name: 'Otis Clerk', description: 'Writes short texts for shops.' }))
    .structuredContent['data'];
  const own = await callTool(client, 'get_profile');
  assert.equal(own.structuredContent['data'].id, id);
  await client.close();
});

test('a wallet signs a token registration over a connection: the tool takes the proof among its arguments', async () => {
  const token = await tokenFor(market.url, { email: 'ines@example.com' });
  const { accessToken } = await connectProgram(market.url, token, { scope: 'read custody' });
  const client = await connectMcp(market.url, accessToken);
  const token_args = {
    agent_id: agent.id,
    token_mint: solanaWallet().address,
    token_name: 'Any',
    token_symbol: 'ANY',
    token_mode: 'byot',
    token_creator_wallet: owner.address,
  };
  const unsigned = await callTool(client, 'register_token', token_args);
  assert.ok([401, 403].includes(unsigned.structuredContent['status']), JSON.stringify(unsigned.structuredContent));
  const { wallet: _named, ...proof } = await signed(owner);
  const proven = await callTool(client, 'register_token', { ...token_args, ...proof });
  assert.equal(proven.isError, true);
  assert.ok(![401, 403].includes(proven.structuredContent['status']), JSON.stringify(proven.structuredContent));
  await client.close();
});
