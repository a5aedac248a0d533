/** The database refuses, or asks for a retry, in the middle of a change. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { registerAgent } from '../harness/agents.ts';
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

/** Makes every insert of an agent fail with `code` while `condition` holds of a counter that no rollback resets. */
async function failInserts(code: string, condition: string): Promise<() => Promise<void>> {
  const { pool } = market.database;
  await pool.query(`
    create sequence faults;
    create function induce_fault() returns trigger language plpgsql as $$
    begin
      if nextval('faults') ${condition} then raise exception 'induced' using errcode = '${code}'; end if;
      return new;
    end $$;
    create trigger induce_fault after insert on agents for each row execute function induce_fault()`);
  return async () => void (await pool.query('drop trigger induce_fault on agents; drop function induce_fault; drop sequence faults'));
}

for (const [code, what] of [
  ['40001', 'a serialization failure'],
  ['40P01', 'a deadlock'],
] as const) {
  test(`C16: ${what} is retried until it works, without a trace of the failed tries`, async () => {
    const mend = await failInserts(code, '<= 3');
    try {
      const agent = await registerAgent(market.url);
      const { rows } = await market.database.pool.query(`select count(*)::int as count from events where subject_id = $1`, [agent.id]);
      assert.equal(rows[0].count, 1);
    } finally {
      await mend();
    }
  });
}

for (const [code, what] of [
  ['40001', 'a serialization failure that does not end'],
  ['40P01', 'a deadlock that does not end'],
  ['55P03', 'a lock that is not granted in time'],
  ['57014', 'a statement that takes too long'],
  ['53100', 'a full disk'],
  ['53300', 'too many connections'],
  ['25006', 'a database that became read-only'],
] as const) {
  test(`C16: ${what} answers 503, and leaves nothing behind`, async () => {
    const mend = await failInserts(code, '> 0');
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
