/** The database refuses a change, or asks for a retry. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { registerAgent } from '../harness/agents.ts';
import { failWrites, refusals } from '../harness/database-faults.ts';
import { type CallOptions, call } from '../harness/http.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { agentBody } from '../harness/people.ts';
import { faultsOfRefusal } from '../harness/refusal.ts';

let market: TestMarket;
before(async () => {
  market = await openMarket();
});
after(() => market.close());

const send = (route: `${string} /${string}`, options?: CallOptions) => call(market.url, route, options);

for (const [code, what] of [
  ['40001', 'a serialization failure'],
  ['40P01', 'a deadlock'],
] as const) {
  test(`C16: ${what} is retried until it succeeds, and failed attempts leave nothing`, async () => {
    const mend = await failWrites(market.database.pool, 'agents', code, '<= 3');
    try {
      const agent = await registerAgent(market.url);
      const { rows } = await market.database.pool.query(`select count(*)::int as count from events where subject_id = $1`, [agent.id]);
      assert.equal(rows[0].count, 1);
    } finally {
      await mend();
    }
  });
}

for (const [code, what] of refusals) {
  test(`C16, C17: ${what} answers 503 and leaves nothing`, async () => {
    const mend = await failWrites(market.database.pool, 'agents', code);
    const body = agentBody();
    const headers = { 'idempotency-key': `c16-${code}` };
    try {
      const reply = await send('POST /api/agents/register', { body, headers });
      assert.deepEqual([reply.status, reply.body['code']], [503, 'unavailable']);
      assert.deepEqual(faultsOfRefusal(reply), []);
    } finally {
      await mend();
    }
    assert.equal((await send('POST /api/agents/register', { body, headers })).status, 201);
  });
}
