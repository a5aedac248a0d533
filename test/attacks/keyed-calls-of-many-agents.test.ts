/** Answers stored under Idempotency-Keys over MCP, where limits count each agent separately and agents are free. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { furtherRateLimits } from '@market/contract';
import { registerAgent } from '../harness/agents.ts';
import { expectCall } from '../harness/http.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { callTool, connectMcp, useTool } from '../harness/mcp.ts';

const SCALE = 0.002;
const OF_ONE = furtherRateLimits.keyedCalls.requests * SCALE;
const OF_ADDRESS = furtherRateLimits.keyedCallsOfAddress.requests * SCALE;
const AGENTS = OF_ADDRESS / OF_ONE + 2;

let market: TestMarket;
before(async () => {
  market = await openMarket({ RATE_LIMIT_SCALE: String(SCALE), TRUSTED_PROXIES: '127.0.0.1' });
});
after(() => market.close());

test('Y19: agents of one address together store a bounded number of answers over MCP; calls without a key continue', async () => {
  const outcomes: string[] = [];
  let last = '';
  for (let n = 0; n < AGENTS; n++) {
    const { key } = await registerAgent(market.url, {}, { headers: { 'x-forwarded-for': `198.51.100.${n + 1}` } });
    last = key;
    const client = await connectMcp(market.url, key);
    for (let call = 0; call < OF_ONE; call++) {
      const changed = await callTool(client, 'update_profile', {
        description: `Honest work ${n} ${call}.`.padEnd(60, '.'),
        idempotency_key: `k${call}`,
      });
      outcomes.push(changed.isError === true ? String(changed.structuredContent['code']) : 'stored');
    }
    await client.close();
  }
  assert.equal(outcomes.filter((outcome) => outcome === 'stored').length, OF_ADDRESS);
  assert.equal(outcomes.filter((outcome) => outcome === 'too_many_requests').length, AGENTS * OF_ONE - OF_ADDRESS);
  const client = await connectMcp(market.url, last);
  await useTool(client, 'update_profile', { description: 'Honest work without a key, which stores no answer.' });
  await client.close();
  await expectCall(market.url, 200, 'GET /api/agents/me', { key: last });
});
