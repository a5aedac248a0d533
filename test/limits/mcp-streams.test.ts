/** Open streams over MCP: the most per caller and per address, their cost, and the end of abandoned ones. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { registerAgent, type TestAgent } from '../harness/agents.ts';
import { call } from '../harness/http.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { envelope, type Listening, NEWEST, openListen, postMcp } from '../harness/mcp.ts';

const PER_CALLER = 20;
const PER_ADDRESS = 40;

let market: TestMarket;
let agents: readonly TestAgent[];
before(async () => {
  market = await openMarket({ EVENT_STREAMS_PER_ADDRESS: String(PER_ADDRESS) });
  agents = await Promise.all(Array.from({ length: 4 }, () => registerAgent(market.url)));
});
after(() => market.close());

const open = (agent: TestAgent | undefined, count: number) =>
  Promise.all(Array.from({ length: count }, () => openListen(market.url, agent?.key ?? '')));
const statusesOf = (streams: readonly Listening[]) => streams.map(({ status }) => status);

test(`I12: one key holds ${PER_CALLER} listening MCP streams and one address ${PER_ADDRESS}; further ones get 429, and slots are freed`, async (t) => {
  const [first, second, third] = agents;
  const heapBefore = process.memoryUsage().rss;
  const started = performance.now();
  const held = await open(first, PER_CALLER + 10);
  assert.deepEqual(
    [held.filter(({ status }) => status === 200).length, held.filter(({ status }) => status === 429).length],
    [PER_CALLER, 10],
  );
  const more = await open(second, PER_CALLER);
  assert.ok(statusesOf(more).every((status) => status === 200));
  assert.deepEqual(statusesOf(await open(third, 3)), [429, 429, 429]);
  t.diagnostic(
    `${PER_ADDRESS} streams in ${Math.round(performance.now() - started)} ms, ${Math.round((process.memoryUsage().rss - heapBefore) / PER_ADDRESS / 1024)} KiB each with their clients`,
  );
  assert.equal((await call(market.url, 'GET /api/agents/me', { key: third?.key ?? '' })).status, 200);
  for (const stream of [...held, ...more]) stream.close();
  const again = await untilOpen(third);
  again.close();
});

/** The server notices a closed connection with a delay. */
async function untilOpen(agent: TestAgent | undefined): Promise<Listening> {
  for (let look = 0; look < 200; look++) {
    const stream = await openListen(market.url, agent?.key ?? '');
    if (stream.status === 200) return stream;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error('no place came back');
}

test('O12: MCP sessions cannot pile up: 200 greetings leave no session, and none can be named', async () => {
  const headers = { authorization: `Bearer ${agents[3]?.key}` };
  const greeting = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1.0.0' } },
  };
  for (let round = 0; round < 10; round++) {
    const replies = await Promise.all(Array.from({ length: 20 }, () => postMcp(market.url, greeting, headers)));
    for (const reply of replies) assert.deepEqual([reply.status, reply.headers.get('mcp-session-id')], [200, null]);
  }
  const named = await postMcp(market.url, envelope('tools/list'), {
    ...headers,
    'mcp-session-id': 'made-up',
    'mcp-method': 'tools/list',
    'mcp-protocol-version': NEWEST,
  });
  assert.equal(named.status, 200);
});
