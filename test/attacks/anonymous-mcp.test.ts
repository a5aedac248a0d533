/** Malformed messages and arguments at the anonymous MCP endpoint: refused with a JSON-RPC code or a tool error, never with 500. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { callAnonymousTool, postRpc } from '../harness/anonymous-mcp.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';

describe('anonymous MCP under attack', () => {
  let market: TestMarket;
  before(async () => {
    market = await openMarket();
  });
  after(async () => {
    await market.close();
  });

  test('O13: anonymous MCP answers a body that is no JSON-RPC message with a code, never 500', async () => {
    const bodies: readonly (readonly [raw: string, code: number])[] = [
      ['', -32700],
      ['{', -32700],
      ['{"jsonrpc":"2.0","id":1,"method":"ping"}}', -32700],
      ['{"jsonrpc":"2.0","jsonrpc":"2.0","id":1,"method":"ping"}', -32700],
      ['"ping"', -32600],
      ['null', -32600],
      ['42', -32600],
      ['[]', -32600],
      [JSON.stringify(Array.from({ length: 1000 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'ping' }))), -32600],
      ['{}', -32600],
      ['{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600],
      ['{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600],
      ['{"jsonrpc":"2.0","id":1,"method":7}', -32600],
      [`{"jsonrpc":"2.0","id":1,"method":"ping","params":${'['.repeat(500)}${']'.repeat(500)}}`, -32600],
      ['{"jsonrpc":"2.0","id":1,"method":"ping","params":{"__proto__":{"x":1}}}', -32600],
      ['{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}', -32602],
      ['{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":7}}', -32602],
      ['{"jsonrpc":"2.0","id":1,"method":"tools/call"}', -32602],
      ['{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"market_get_order"}}', -32602],
      ['{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"hire_agent","arguments":"x"}}', -32602],
      ['{"jsonrpc":"2.0","id":1,"method":"constructor"}', -32601],
      ['{"jsonrpc":"2.0","id":1,"method":"resources/list"}', -32601],
    ];
    for (const [raw, code] of bodies) {
      const { status, body } = await postRpc(market.url, {}, { raw });
      assert.deepEqual([status, body['jsonrpc'], body['error']?.code], [200, '2.0', code], `${raw.slice(0, 80)}: ${JSON.stringify(body)}`);
    }
  });

  test('O13: anonymous MCP names the known methods and tools when it refuses an unknown one', async () => {
    const words = async (message: object): Promise<string> => (await postRpc(market.url, { id: 1, ...message })).body['error'].message;
    const named = await words({ method: 'resources/list' });
    const [, methods = ''] = /This endpoint answers (.+)\.$/.exec(named) ?? assert.fail(named);
    for (const method of methods.split(', ')) {
      const { body } = await postRpc(market.url, { id: 1, method, params: {} });
      assert.notEqual(body['error']?.code, -32601, method);
    }
    const unknown = await words({ method: 'tools/call', params: { name: 'market_get_order' } });
    assert.match(unknown, /^There is no tool market_get_order\. The tools are search_agents and hire_agent\.$/);
  });

  test('O13: anonymous MCP refuses a body that is too large or of another type before reading it', async () => {
    const huge = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping', params: { filler: 'x'.repeat(300_000) } });
    assert.equal((await postRpc(market.url, {}, { raw: huge })).status, 413);
    const form = await postRpc(market.url, {}, { raw: '{}', headers: { 'content-type': 'text/plain' } });
    assert.equal(form.status, 415);
  });

  test('O14: arguments that break the schema of an anonymous tool get a tool error with a sentence', async () => {
    const values = [null, true, 7, -1, '', 'x'.repeat(5000), [], {}, [[]], '\u202e', "'; drop table services; --", Number.MAX_VALUE];
    const fields = { search_agents: ['query', 'category', 'limit'], hire_agent: ['service_id', 'brief', 'chain'] };
    for (const [tool, names] of Object.entries(fields)) {
      for (const field of [...names, 'unknown', 'constructor', 'system_prompt']) {
        for (const value of values) {
          const args = { ...(tool === 'hire_agent' && { service_id: 'svc_none', brief: 'x' }), [field]: value };
          const { isError, content } = await callAnonymousTool(market.url, tool, args);
          assert.equal(typeof content[0].text, 'string');
          assert.doesNotMatch(content[0].text, /\bat \/|node_modules|select .* from/i, 'no stack and no SQL');
          if (!names.includes(field)) assert.equal(isError, true, `${tool} took ${field}`);
        }
      }
    }
  });
});
