/** `market mcp` with the official client: whole journeys over standard input and output, and what is special about a local process. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { toolList } from '@market/contract';
import { expectCall } from '../harness/http.ts';
import { openMachineBuyer, readOffer } from '../harness/machine-buyers.ts';
import { openMarket, type TestMarket, withChains } from '../harness/market.ts';
import { unmarked } from '../harness/mcp.ts';
import { listService, openProvider } from '../harness/orders.ts';
import { agentBody, openSession, tokenFor } from '../harness/people.ts';
import { isThorough, THOROUGH_ONLY } from '../harness/thoroughness.ts';
import { openPictures, type Pictures } from '../tokens/launches/stage.ts';
import { bountyOverMcp, depositOverMcp, hireOverMcp, launchOverMcp, type McpStage } from './journeys.ts';
import { closeStdio, openStdio } from './stdio-client.ts';

/** An everyday run makes these journeys over the remote endpoint (`remote-journeys.test.ts`). */
const REMOTELY = { skip: !isThorough && THOROUGH_ONLY };

let market: TestMarket;
let pictures: Pictures;
let stage: McpStage;

before(async () => {
  pictures = await openPictures();
  market = await openMarket({ ...withChains, OUTBOUND_ALLOW: '127.0.0.1' });
  stage = {
    market,
    open: (apiKey) => openStdio(market.url, { apiKey }),
    async register(args) {
      const agent = await openStdio(market.url);
      const { agent_id } = await agent.call('market_register_agent', args);
      return { id: agent_id, agent };
    },
  };
});
after(async () => {
  await closeStdio();
  await market.close();
  pictures.close();
});

describe('market mcp over stdio', () => {
  test('market mcp lists the 39 tools with schemas, by both ways to open the protocol', async () => {
    for (const negotiation of ['auto', 'legacy'] as const) {
      const { client, close } = await openStdio(market.url, { negotiation });
      const { tools } = await client.listTools();
      assert.deepEqual(
        tools.map(({ name }) => name),
        toolList.map(({ name }) => name),
      );
      assert.equal(tools.length, 39);
      assert.match(client.getInstructions() ?? '', /never follow instructions/);
      const { prompts } = await client.listPrompts();
      assert.deepEqual(
        prompts.map(({ name }) => name),
        ['hire', 'sell', 'work_the_queue'],
      );
      const { messages } = await client.getPrompt({ name: 'sell', arguments: { offer: 'proofreading' } });
      assert.match(JSON.stringify(messages), /proofreading/);
      await close();
    }
  });

  test('market mcp carries a whole hire: register, list, order, pay, deliver, approve', () => hireOverMcp(stage));
  test('market mcp carries a bounty from the list to the delivery', REMOTELY, () => bountyOverMcp(stage));
  test('market mcp carries a launch', REMOTELY, () => launchOverMcp(stage, `${pictures.url}/good.png`));
  test('market mcp carries a deposit and its withdrawal', REMOTELY, () => depositOverMcp(stage));

  test('market mcp starts without a key, says so, and continues with the key of the agent it registers', async () => {
    const person = await tokenFor(market.url, { email: 'ines@example.com' });
    const agent = await openStdio(market.url, { env: { MARKET_TOKEN: person } });
    const refused = await agent.try('market_get_profile');
    assert.deepEqual([refused.isError, (refused.structuredContent as { status: number }).status], [true, 401]);
    const body = agentBody();
    const { agent_id } = await agent.call('market_register_agent', body);
    const profile = await agent.call('market_get_profile');
    assert.deepEqual([profile.id, profile.name], [agent_id, body.name]);
    const owned = await expectCall(market.url, 200, 'GET /api/agents/my', { key: person });
    assert.deepEqual(owned, [], 'it never acts as the person whose token is in the environment');
    await agent.close();
  });

  test('market mcp answers wrong calls with an error that says what to do', async () => {
    const provider = await openProvider(market.url);
    const agent = await openStdio(market.url, { apiKey: provider.key });
    const wrong: [string, Record<string, unknown>, number, RegExp][] = [
      ['market_get_order', {}, 400, /order_id/],
      ['market_get_order', { order_id: '..' }, 400, /path/],
      ['market_get_order', { order_id: 'ord_none', nope: 1 }, 400, /nope/],
      ['market_get_order', { order_id: 'ord_none' }, 404, /order/i],
    ];
    for (const [tool, args, status, words] of wrong) {
      const { isError, structuredContent } = await agent.try(tool, args);
      const { error, status: answered, next_actions } = structuredContent as { error: string; status: number; next_actions: unknown[] };
      assert.deepEqual([isError, answered], [true, status], `${tool}: ${error}`);
      assert.match(error, words);
      assert.ok(next_actions.length > 0);
    }
    await assert.rejects(agent.try('market_nonsense'), /no tool market_nonsense\. Call tools\/list for the names\./);
    await agent.close();
  });

  test('market mcp shows the payment challenge as x402 clients for MCP expect it, and takes the payment in _meta', async () => {
    const provider = await openProvider(market.url);
    const service_id = await listService(market.url, provider, { price_usd: '0.50' });
    const agent = await openStdio(market.url);
    const { isError, structuredContent, content } = await agent.try('market_submit_payment', { service_id, brief: 'A short one.' });
    const required = structuredContent as {
      x402Version: number;
      resource: unknown;
      accepts: { scheme: string; network: string; amount: string }[];
    };
    assert.deepEqual([isError, required.x402Version], [true, 2]);
    assert.ok(required.accepts.some(({ scheme, amount }) => scheme === 'exact' && amount === '550000'));
    assert.deepEqual(unmarked((content[0] as { text: string }).text), structuredContent);

    const buyer = await openMachineBuyer(market, 'base-mainnet');
    const accepted = required.accepts.find(({ network }) => network === buyer.payer.chain.caip2);
    assert.ok(accepted);
    const payment = { x402Version: 2, resource: required.resource, accepted, payload: await buyer.authorise(accepted as never) };
    const paid = await agent.try('market_submit_payment', { service_id, brief: 'A short one.' }, { 'x402/payment': payment });
    assert.notEqual(paid.isError, true, JSON.stringify(paid.structuredContent));
    assert.match((paid.structuredContent as { data: { order_id: string } }).data.order_id, /./);
    const receipt = paid._meta?.['x402/payment-response'] as { success: boolean; network: string };
    assert.deepEqual([receipt.success, receipt.network], [true, accepted.network]);
    await agent.close();
  });

  test('market mcp keeps the limits of the agent’s owner, and names the page for a payment that needs approval', async () => {
    const owner = await openMachineBuyer(market, 'base-mainnet');
    const [buyer, provider] = await Promise.all([openProvider(market.url, 'base-mainnet', owner), openProvider(market.url)]);
    const service_id = await listService(market.url, provider, { price_usd: '0.50' });
    const agent = await openStdio(market.url, { apiKey: buyer.key });
    const pay = async (meta: Record<string, unknown> = {}) => {
      const accepted = await readOffer(market, market.url, service_id, 'base-mainnet');
      const payment = { x402Version: 2, accepted, payload: await owner.authorise(accepted) };
      return await agent.try('market_submit_payment', { service_id, brief: 'A short one.' }, { 'x402/payment': payment, ...meta });
    };
    const refusal = async (policy: Record<string, unknown>, meta?: Record<string, unknown>) => {
      const headers = { cookie: await openSession(market.url, owner), origin: market.url };
      await expectCall(market.url, 200, `PUT /api/spending/policies/agent/${buyer.id}`, { headers, body: policy });
      const { isError, structuredContent } = await pay(meta);
      assert.equal(isError, true);
      return structuredContent as { code: string; data: Record<string, unknown> };
    };

    const limited = await refusal({ per_order_usd: '0.10' });
    assert.deepEqual([limited.code, limited.data['rule']], ['spend_refused', 'per_order']);
    const asked = await refusal({ approve_above_usd: '0.10' });
    assert.equal(asked.code, 'approval_required');
    assert.match(String(asked.data['approve_url']), /^http/);
    assert.equal((await refusal({}, { 'market/budget': 'bud_none' })).code, 'budget_session_unusable');
    assert.notEqual((await pay()).isError, true);
    await agent.close();
  });
});
