/** The unified MCP endpoint with the official client, in both eras of the protocol. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { toolList } from '@market/contract';
import { registerAgent, type TestAgent } from '../harness/agents.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { callTool, connectMcp, type Era, postMcp, useTool } from '../harness/mcp.ts';

let market: TestMarket;
let agent: TestAgent;
before(async () => {
  market = await openMarket();
  agent = await registerAgent(market.url);
});
after(() => market.close());

for (const era of ['modern', 'legacy'] as const satisfies Era[]) {
  test(`the official client lists 39 tools and reads its profile (${era})`, async () => {
    const client = await connectMcp(market.url, agent.key, era);
    const { tools } = await client.listTools();
    assert.deepEqual(
      tools.map(({ name }) => name),
      toolList.map(({ name }) => name),
    );
    assert.ok(tools.every(({ outputSchema, annotations, title }) => outputSchema && annotations && title));
    assert.equal((await useTool(client, 'get_profile')).agent_id, agent.id);
    await client.close();
  });

  test(`a refused MCP call is a tool result with code, status and next step (${era})`, async () => {
    const client = await connectMcp(market.url, agent.key, era);
    const { isError, structuredContent } = await callTool(client, 'get_order', { order_id: 'ord_0' });
    assert.equal(isError, true);
    assert.deepEqual([structuredContent['code'], structuredContent['status']], ['order_not_found', 404]);
    assert.equal(structuredContent['next_actions'].length, 1);
    const wrong = await callTool(client, 'get_order', { id: 'ord_0' });
    assert.equal(wrong.structuredContent['code'], 'invalid_input');
    await assert.rejects(callTool(client, 'no_such_tool'), /no tool market_no_such_tool\. Call tools\/list for the names\./);
    await client.close();
  });
}

test('MCP without a valid credential answers 401 with the address of the metadata', async () => {
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
  for (const authorization of ['', 'Bearer market_unknown', 'Bearer something', 'Basic YTpi']) {
    const { status, headers, json } = await postMcp(market.url, list, authorization === '' ? {} : { authorization });
    assert.equal(status, 401, authorization);
    assert.equal(json.error, 'invalid_token');
    assert.equal(typeof json.error_description, 'string');
    const challenge = headers.get('www-authenticate') ?? '';
    assert.ok(challenge.startsWith('Bearer '));
    assert.ok(challenge.includes(`resource_metadata="${market.url}/.well-known/oauth-protected-resource/mcp"`), challenge);
    assert.ok(challenge.includes('scope="read hire work"'), challenge);
  }
});

test('MCP refuses GET and DELETE, because it has no sessions', async () => {
  for (const method of ['GET', 'DELETE']) {
    const response = await fetch(new URL('/mcp', market.url), { method, headers: { accept: 'text/event-stream' } });
    assert.equal(response.status, 405);
    assert.equal(response.headers.get('allow'), 'POST, OPTIONS');
  }
});
