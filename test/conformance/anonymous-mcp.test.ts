/** The anonymous MCP endpoint, as the specification describes it: one JSON-RPC message per POST, plain JSON answers, two tools. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { furtherRateLimits } from '@market/contract';
import { callAnonymousTool, postRpc, toolText } from '../harness/anonymous-mcp.ts';
import { call, type Envelope } from '../harness/http.ts';
import { openMarket, type TestMarket, withChains } from '../harness/market.ts';
import { listService, openBuyer, openProvider, type Provider } from '../harness/orders.ts';

describe('anonymous MCP', () => {
  let market: TestMarket;
  let provider: Provider;
  let service: string;
  before(async () => {
    market = await openMarket({ ...withChains, SERVICE_NAME: 'Agora' });
    provider = await openProvider(market.url);
    service = await listService(market.url, provider, { price_usd: '5.00', title: 'Logo in three drafts', category: 'image_gen' });
    await listService(market.url, provider, { price_type: 'quote', price_usd: '0', title: 'Logo on request' });
  });
  after(async () => {
    await market.close();
  });

  test('E45: anonymous MCP initialize answers revision 2024-11-05, whatever revision was asked for', async () => {
    for (const protocolVersion of ['2024-11-05', '2025-11-25', 'tomorrow']) {
      const { status, headers, body } = await postRpc(market.url, { id: 1, method: 'initialize', params: { protocolVersion } });
      assert.equal(status, 200);
      assert.match(headers.get('content-type') ?? '', /^application\/json/);
      assert.deepEqual(body, {
        jsonrpc: '2.0',
        id: 1,
        result: { protocolVersion: '2024-11-05', capabilities: { tools: {} }, serverInfo: { name: 'Agora', version: '1.0.0' } },
      });
    }
  });

  test('anonymous MCP answers a notification with 202 without a body, and ping with an empty result', async () => {
    const notified = await postRpc(market.url, { method: 'notifications/initialized' });
    assert.deepEqual([notified.status, notified.body], [202, { text: '' }]);
    assert.deepEqual((await postRpc(market.url, { id: 'p', method: 'ping' })).body, { jsonrpc: '2.0', id: 'p', result: {} });
  });

  test('anonymous MCP tools/list names both tools with their arguments', async () => {
    const { tools } = (await postRpc(market.url, { id: 2, method: 'tools/list' })).body['result'];
    assert.deepEqual(
      tools.map(({ name, inputSchema }: Envelope) => [name, Object.keys(inputSchema.properties), inputSchema.required]),
      [
        ['search_agents', ['query', 'category', 'limit'], []],
        ['hire_agent', ['service_id', 'brief', 'chain'], ['service_id', 'brief']],
      ],
    );
    assert.equal(tools[0].inputSchema.properties.category.enum.length, 12);
    assert.deepEqual(tools[1].inputSchema.properties.chain.enum, ['solana', 'base']);
  });

  test('N01: search_agents finds payable services with prices and absolute addresses', async () => {
    const result = await callAnonymousTool(market.url, 'search_agents', { query: 'logo' });
    assert.equal(result['isError'], false);
    const [found, ...others] = toolText(result);
    assert.deepEqual(others, []);
    assert.deepEqual(found, {
      ...found,
      service_id: service,
      title: 'Logo in three drafts',
      category: 'image_gen',
      price_usd: 5,
      total_charged_usd: 5.5,
      discover_url: `${market.url}/api/x402/discover/${service}`,
      pay_url: `${market.url}/api/x402/pay?service_id=${service}`,
    });
    assert.ok(found.agent_name && found.agent_slug);
    assert.match(result['content'][0].text, /\n {2}/, 'the text is indented');
  });

  test('search_agents searches all services, not only the first page of popular ones', async () => {
    for (let n = 0; n < 3; n += 1) await listService(market.url, provider, { title: `Filler number ${n}` });
    const found = toolText(await callAnonymousTool(market.url, 'search_agents', { query: 'three drafts', limit: 1 }));
    assert.deepEqual(
      found.map(({ service_id }: Envelope) => service_id),
      [service],
    );
  });

  test('P18: search_agents clamps limit to 1 to 50 and refuses an unknown category', async () => {
    for (const [limit, most] of [
      [0, 1],
      [-7, 1],
      [1.9, 1],
      [2, 2],
      [1e9, 50],
    ] as const) {
      const found = toolText(await callAnonymousTool(market.url, 'search_agents', { limit }));
      assert.ok(found.length > 0 && found.length <= most, `limit ${limit} found ${found.length}`);
    }
    const refused = await callAnonymousTool(market.url, 'search_agents', { category: 'cooking' });
    assert.equal(refused['isError'], true);
    assert.match(refused['content'][0].text, /category must be one of: image_gen/);
  });

  test('N02: hire_agent returns requirements that a transfer can pay; the payment places the order', async () => {
    const brief = 'Draw a fox.';
    for (const [chain, network] of [
      [undefined, 'solana-mainnet'],
      ['base', 'base-mainnet'],
    ] as const) {
      const quoted = toolText(await callAnonymousTool(market.url, 'hire_agent', { service_id: service, brief, ...(chain && { chain }) }));
      const { payTo, maxAmountRequired, asset, network: asked, scheme } = quoted.payment_requirements;
      assert.deepEqual(
        [quoted.service_id, quoted.title, quoted.brief, quoted.price_usd, quoted.total_charged_usd],
        [service, 'Logo in three drafts', brief, 5, 5.5],
      );
      assert.deepEqual([asked, scheme, maxAmountRequired, asset.currency], [network, 'exact', '5500000', 'USDC']);
      assert.equal(quoted.requirements.payTo, payTo);
      assert.match(quoted.instructions, /POST http/);
      const buyer = await openBuyer(market, network);
      const reference = await buyer.payer.pay(payTo, BigInt(maxAmountRequired), 'confirmed');
      const hired = await call(market.url, `POST /api/x402/pay?service_id=${service}`, {
        body: { brief },
        headers: { 'x-payment': reference, 'x-payment-network': network },
      });
      assert.equal(hired.status, 200, JSON.stringify(hired.body));
      assert.match(hired.body['data'].order_id, /^ord_/);
    }
  });

  test('hire_agent creates no order and takes no payment', async () => {
    const before = await market.database.pool.query('select count(*)::int as n from orders');
    await callAnonymousTool(market.url, 'hire_agent', { service_id: service, brief: 'Only asking.' });
    assert.deepEqual((await market.database.pool.query('select count(*)::int as n from orders')).rows, before.rows);
  });

  test('hire_agent explains each refusal in a sentence', async () => {
    const { rows } = await market.database.pool.query("select id from services where price_type = 'quote'");
    for (const [args, words] of [
      [{ brief: 'x' }, /service_id/],
      [{ service_id: service }, /brief/],
      [{ service_id: service, brief: '  ' }, /brief/],
      [{ service_id: service, brief: 'x', chain: 'alt' }, /chain must be one of: solana, base/],
      [{ service_id: 'svc_none', brief: 'x' }, /service/i],
      [{ service_id: rows[0].id, brief: 'x' }, /fixed price/],
    ] as const) {
      const { isError, content } = await callAnonymousTool(market.url, 'hire_agent', args);
      assert.equal(isError, true, JSON.stringify(args));
      assert.match(content[0].text, words);
    }
  });

  test('anonymous MCP refuses other methods and names those that work', async () => {
    for (const method of ['PUT', 'DELETE', 'PATCH']) {
      const { status, headers } = await call(market.url, `${method} /api/x402/mcp`);
      assert.deepEqual([status, headers.get('allow')], [405, 'GET, POST, HEAD, OPTIONS'], method);
    }
  });

  test('GET of anonymous MCP describes the endpoint and names the canonical one', async () => {
    const { status, body } = await call(market.url, 'GET /api/x402/mcp');
    assert.equal(status, 200);
    assert.deepEqual(
      [body['protocolVersion'], body['transport'], body['endpoint'], body['deprecated'], body['canonical_endpoint']],
      ['2024-11-05', 'http', `${market.url}/api/x402/mcp`, true, `${market.url}/mcp`],
    );
    assert.deepEqual(
      body['tools'].map(({ name }: Envelope) => name),
      ['search_agents', 'hire_agent'],
    );
  });
});

test('E45: anonymous MCP takes 20 messages per hour and address; the next gets 429 in the usual envelope', async () => {
  const market = await openMarket({ RATE_LIMIT_SCALE: '1' });
  try {
    const { requests } = furtherRateLimits.anonymousMcp;
    for (let n = 1; n <= requests; n += 1) {
      const { status, headers } = await postRpc(market.url, { id: n, method: 'ping' });
      assert.deepEqual([status, headers.get('x-ratelimit-remaining')], [200, String(requests - n)]);
    }
    const { status, body } = await postRpc(market.url, { id: 21, method: 'ping' });
    assert.deepEqual([status, body['success'], body['code']], [429, false, 'too_many_requests']);
  } finally {
    await market.close();
  }
});
