/** Hostile messages to the MCP endpoint, and arguments that break the schema of a tool. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Tool, toolList } from '@market/contract';
import { registerAgent, type TestAgent } from '../harness/agents.ts';
import { call } from '../harness/http.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { envelope, type Posted, postMcp } from '../harness/mcp.ts';

let market: TestMarket;
let agent: TestAgent;
let headers: Record<string, string>;
before(async () => {
  market = await openMarket();
  agent = await registerAgent(market.url);
  headers = { authorization: `Bearer ${agent.key}` };
});
after(() => market.close());

const post = (body: unknown, more: Record<string, string> = {}): Promise<Posted> => postMcp(market.url, body, { ...headers, ...more });
const ping = (id: unknown = 1) => ({ jsonrpc: '2.0', id, method: 'ping' });

function requireRefused(name: string, { status, text, json }: Posted): void {
  assert.ok(status >= 200 && status < 500, `${name}: ${status} ${text.slice(0, 300)}`);
  if (status < 300) assert.ok(json?.error !== undefined, `${name}: ${text.slice(0, 300)}`);
  assert.doesNotMatch(text, /at .*\.(ts|mjs|js):\d+/, `${name}: no stack`);
}

test('O13: MCP refuses a batch of more than 20 messages, an empty one, and one within a batch', async () => {
  for (const size of [0, 21, 1000]) {
    const { status, json } = await post(Array.from({ length: size }, (_, id) => ping(id)));
    assert.equal(status, 400, `${size}`);
    assert.equal(json.error.code, -32_600);
  }
  requireRefused('nested batch', await post([[ping()], [ping()]]));
  const large = await post(Array.from({ length: 10_000 }, (_, id) => ping(id)));
  assert.ok([400, 413].includes(large.status), `${large.status}`);
});

test('O13: malformed MCP messages get the protocol’s errors, never an internal error', async () => {
  const hostile: Record<string, unknown> = {
    'not JSON': '{"jsonrpc":',
    empty: '',
    text: '"hello"',
    number: '7',
    null: 'null',
    'no version': { id: 1, method: 'ping' },
    'old version': { jsonrpc: '1.0', id: 1, method: 'ping' },
    'id as object': ping({ a: 1 }),
    'id as array': ping([1]),
    'id as fraction': ping(1.5),
    'method as number': { jsonrpc: '2.0', id: 1, method: 5 },
    'method of the prototype': { jsonrpc: '2.0', id: 1, method: '__proto__' },
    'method constructor': { jsonrpc: '2.0', id: 1, method: 'constructor' },
    'method toString': { jsonrpc: '2.0', id: 1, method: 'toString' },
    'params as array': { jsonrpc: '2.0', id: 1, method: 'tools/call', params: ['market_get_profile'] },
    'params as text': { jsonrpc: '2.0', id: 1, method: 'tools/call', params: 'x' },
    'no tool name': { jsonrpc: '2.0', id: 1, method: 'tools/call', params: {} },
    'tool of the prototype': { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: '__proto__' } },
    'tool constructor': { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'constructor' } },
    'long method': { jsonrpc: '2.0', id: 1, method: 'm'.repeat(100_000) },
    'prototype key': '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"__proto__":{"a":1}}}',
    'a key twice': '{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list"}',
    'deep nesting': `{"jsonrpc":"2.0","id":1,"method":"ping","params":${'['.repeat(5000)}${']'.repeat(5000)}}`,
    'large body': JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping', params: { a: 'x'.repeat(300_000) } }),
    'NUL character': {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'market_get_order', arguments: { order_id: 'a\u0000b' } },
    },
    'wrong revision': envelope('tools/list', { _meta: { 'io.modelcontextprotocol/protocolVersion': '2099-01-01' } }),
    'half an envelope': {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/list',
      params: { _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } },
    },
  };
  for (const [name, body] of Object.entries(hostile)) {
    const reply = await post(body);
    if (name === 'NUL character') assert.ok(reply.status < 500, name);
    else requireRefused(name, reply);
  }
  const wrongType = await post(ping(), { 'content-type': 'text/plain' });
  assert.equal(wrongType.status, 415);
  const invalidText = await fetch(new URL('/mcp', market.url), {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: Buffer.from([0x7b, 0xff, 0xfe, 0x7d]),
  });
  assert.equal(invalidText.status, 400);
});

test('O13: a flood of MCP notifications and cancellations of foreign requests changes nothing', async () => {
  const storm = Array.from({ length: 200 }, (_, requestId) =>
    post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId, reason: 'storm' } }),
  );
  for (const { status } of await Promise.all(storm)) assert.equal(status, 202);
  const { status, json } = await post({ jsonrpc: '2.0', id: 'a', method: 'tools/call', params: { name: 'market_get_profile' } });
  assert.equal(status, 200);
  assert.equal(json.result.structuredContent.data.agent_id, agent.id);
});

test('O12: an MCP session id neither authenticates nor is issued', async () => {
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'market_get_profile', arguments: {} } };
  const other = await registerAgent(market.url);
  const initialize = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'a', version: '1' } },
  };
  assert.equal((await post(initialize)).headers.get('mcp-session-id'), null);
  for (const session of ['1', agent.id, agent.key, 'f'.repeat(64)]) {
    const nobody = await postMcp(market.url, list, { 'mcp-session-id': session });
    assert.equal(nobody.status, 401);
    assert.equal(nobody.headers.get('mcp-session-id'), null);
    const mine = await postMcp(market.url, list, { 'mcp-session-id': session, authorization: `Bearer ${other.key}` });
    assert.equal(mine.json.result.structuredContent.data.agent_id, other.id);
  }
});

const VALUES: readonly unknown[] = [
  null,
  true,
  -1,
  1e308,
  '',
  ' ',
  'x'.repeat(60_000),
  '../../etc/passwd',
  "'; drop table orders; --",
  '\u202e\ud800',
  [],
  [[[[[[]]]]]],
  { constructor: { prototype: {} } },
  ['a', 1, null],
];

/** Each argument with each wrong value, alone and beside plausible others. */
function* hostileArguments({ definition }: Tool): Generator<Record<string, unknown>> {
  const { properties = {}, required = [] } = definition.inputSchema;
  const filled = Object.fromEntries(required.map((name) => [name, 'x']));
  yield {};
  yield { unknown_argument: 1 };
  yield { ...filled, idp_access_token: 'x', x_payment: 'x' };
  for (const name of Object.keys(properties)) for (const value of VALUES) yield { ...filled, [name]: value };
}

test('O14: arguments that break the schema of a tool are explained, and cause no internal error', { timeout: 240_000 }, async () => {
  assert.equal(toolList.length, 39);
  let calls = 0;
  for (const tool of toolList) {
    const all = [...hostileArguments(tool)];
    for (let from = 0; from < all.length; from += 20) {
      const batch = all.slice(from, from + 20);
      const replies = await Promise.all(
        batch.map((args) => post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool.name, arguments: args } })),
      );
      for (const [index, { status, text, json }] of replies.entries()) {
        const what = `${tool.name} ${JSON.stringify(batch[index]).slice(0, 200)}: ${text.slice(0, 300)}`;
        calls += 1;
        assert.ok(status < 500, what);
        if (json?.error !== undefined) continue;
        const { isError, structuredContent } = json.result;
        if (isError !== true) continue;
        assert.ok(structuredContent.x402Version === 2 || (structuredContent.status >= 400 && structuredContent.status < 600), what);
        assert.ok(structuredContent.status !== 500, what);
        assert.ok(typeof structuredContent.error === 'string', what);
      }
    }
  }
  assert.ok(calls > 2000, `${calls} calls`);
});

test('O14: the two tools of the anonymous endpoint refuse arguments that break their schema, too', async () => {
  const send = async (params: unknown) =>
    await call(market.url, 'POST /api/x402/mcp', { body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params } });
  const fields = { search_agents: ['query', 'category', 'limit', 'other'], hire_agent: ['service_id', 'brief', 'chain', 'other'] };
  for (const [name, names] of Object.entries(fields)) {
    for (const field of names) {
      for (const value of VALUES) {
        const { status, body } = await send({ name, arguments: { service_id: 'x', brief: 'x', [field]: value } });
        const what = `${name} ${field} ${JSON.stringify(value).slice(0, 80)}: ${JSON.stringify(body).slice(0, 300)}`;
        assert.ok(status < 500, what);
        assert.notEqual(body['error']?.code, -32_603, what);
      }
    }
  }
});
