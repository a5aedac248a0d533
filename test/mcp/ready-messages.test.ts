/** Cached answers of the MCP endpoint: the same bytes as the library's, never older than the data, and only after credentials and limits. */
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { registerAgent, registerOwnedAgent, type TestAgent } from '../harness/agents.ts';
import { expectCall } from '../harness/http.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { callTool, connectMcp, type Era, NEWEST, postMcp, useTool } from '../harness/mcp.ts';
import { baseWallet } from '../harness/people.ts';

const envelope = {
  'io.modelcontextprotocol/protocolVersion': NEWEST,
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

interface Question {
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

const list: Question = { method: 'tools/list' };
const browse: Question = { method: 'tools/call', params: { name: 'market_browse_agents', arguments: { limit: 100 } } };

describe('cached answers over MCP', () => {
  let market: TestMarket;
  let agent: TestAgent;
  before(async () => {
    market = await openMarket();
    agent = await registerOwnedAgent(market.url, baseWallet());
  });
  after(() => market.close());

  const ask = async ({ method, params = {} }: Question, era: Era, id: string | number = 1, key = agent.key) => {
    const headers = {
      authorization: `Bearer ${key}`,
      'mcp-protocol-version': era === 'modern' ? NEWEST : '2025-11-25',
      ...(era === 'modern' && { 'mcp-method': method, ...(params['name'] !== undefined && { 'mcp-name': String(params['name']) }) }),
    };
    const meta = era === 'modern' ? { _meta: { ...envelope, ...(params['_meta'] as object) } } : {};
    return await postMcp(market.url, { jsonrpc: '2.0', id, method, params: { ...params, ...meta } }, headers);
  };

  for (const era of ['modern', 'legacy'] as const satisfies Era[]) {
    test(`a cached MCP answer has the bytes of the first, except the id (${era})`, async () => {
      for (const question of [list, browse]) {
        const first = await ask(question, era, 1);
        assert.equal(first.status, 200, first.text);
        for (const id of [1, 2, 0, 'word', '"quoted"']) {
          const again = await ask(question, era, id);
          assert.equal(again.text, first.text.replace('"id":1}', `"id":${JSON.stringify(id)}}`));
          assert.equal(again.headers.get('content-type'), first.headers.get('content-type'));
        }
      }
    });
  }

  test('an MCP client that takes gzip gets a tenth of the bytes, and the same answer', async () => {
    const { text } = await ask(list, 'modern', 5);
    const sent = await new Promise<{ readonly headers: Record<string, unknown>; readonly body: Buffer }>((resolve, reject) => {
      const headers = {
        authorization: `Bearer ${agent.key}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'accept-encoding': 'br;q=0.5, gzip',
        'mcp-protocol-version': NEWEST,
        'mcp-method': 'tools/list',
      };
      const asked = request(`${market.url}/mcp`, { method: 'POST', headers }, (response) => {
        buffer(response).then((body) => resolve({ headers: response.headers, body }), reject);
      });
      asked.end(JSON.stringify({ jsonrpc: '2.0', id: 5, method: 'tools/list', params: { _meta: envelope } }));
    });
    assert.equal(sent.headers['content-encoding'], 'gzip');
    assert.ok(sent.body.length * 5 < text.length, `${sent.body.length} of ${text.length} bytes`);
    assert.equal(gunzipSync(sent.body).toString(), text);
  });

  test('a change of the data is in the very next MCP answer', async () => {
    const namesIn = async (): Promise<string[]> => {
      const { json } = await ask(browse, 'modern');
      return json.result.structuredContent.data.map(({ id }: { id: string }) => id);
    };
    for (let round = 0; round < 5; round += 1) {
      await namesIn();
      const { id } = await registerOwnedAgent(market.url, baseWallet());
      assert.ok((await namesIn()).includes(id), 'the new agent is listed');
    }
  });

  test('a cached MCP answer is sent only to callers who may ask for it', async () => {
    const other = await registerAgent(market.url);
    for (const question of [list, browse]) {
      assert.equal((await ask(question, 'modern', 1, other.key)).status, 200);
      assert.equal((await ask(question, 'modern', 1, `market_${'0'.repeat(48)}`)).status, 401);
    }
    await market.database.pool.query('update agents set active = false where id = $1', [other.id]);
    const { json } = await ask(browse, 'modern', 1, other.key);
    assert.equal(json.result?.isError ?? json.error !== undefined, true, JSON.stringify(json).slice(0, 300));
  });

  test('MCP messages with further fields are answered by the library, not from the cache', async () => {
    const known = await ask(list, 'modern');
    const traced = await ask({ method: 'tools/list', params: { _meta: { progressToken: 7 } } }, 'modern');
    assert.equal(traced.text, known.text);
    assert.equal((await ask({ method: 'tools/list', params: { cursor: 'x' } }, 'modern')).status, 200);
    const wrong = await postMcp(
      market.url,
      { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: envelope } },
      {
        authorization: `Bearer ${agent.key}`,
        'mcp-protocol-version': '2025-11-25',
        'mcp-method': 'tools/list',
      },
    );
    assert.equal(wrong.status, 400, 'header and message name different revisions');
  });

  test('MCP arguments that break the schema are refused each time', async () => {
    const bad: Question = { method: 'tools/call', params: { name: 'market_browse_agents', arguments: { limit: 'many' } } };
    for (let round = 0; round < 2; round += 1) assert.equal((await ask(bad, 'modern')).json.result.isError, true);
  });
});

test('cached MCP answers count against the limit of their caller only', async () => {
  const market = await openMarket({ RATE_LIMIT_SCALE: '1' });
  try {
    const [first, second] = await Promise.all([registerAgent(market.url), registerAgent(market.url)]);
    const [client, other] = await Promise.all([connectMcp(market.url, first.key), connectMcp(market.url, second.key)]);
    let refused = 0;
    for (let call = 0; call < 300 && refused === 0; call += 1) {
      const { isError, structuredContent } = await callTool(client, 'platform_stats');
      if (isError === true) refused = structuredContent['status'];
    }
    assert.equal(refused, 429);
    await useTool(other, 'platform_stats');
    await expectCall(market.url, 200, 'GET /api/platform-stats');
    await Promise.all([client.close(), other.close()]);
  } finally {
    await market.close();
  }
});
