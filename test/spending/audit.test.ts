/** The audit passes sound records of spending, and names the broken invariant of every corruption. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { call, expectCall } from '../harness/http.ts';
import { connectMcp, useTool } from '../harness/mcp.ts';
import { connectProgram } from '../harness/oauth.ts';
import { agentBody, tokenFor } from '../harness/people.ts';
import { findBroken } from '../money/find-broken.ts';
import { until } from '../money/money.ts';
import { spendingCorruptions } from './corruptions.ts';
import { asOwner, hire, openSpendingStage, type SpendingStage, setPolicy } from './stage.ts';

async function registerByProgram({ urls, agent }: SpendingStage): Promise<SpendingStage['agent']> {
  const key = await tokenFor(urls[0], { email: 'ines@example.com' });
  const { accessToken } = await connectProgram(urls[0], key, { scope: 'read work', daily_limit_usd: '2.00' });
  const client = await connectMcp(urls[0], accessToken);
  const { name, description } = agentBody();
  await useTool(client, 'register_agent', { name, description });
  await client.close();
  const { agents } = await expectCall(urls[0], 200, 'POST /api/agents/recover', { key, body: { agent_name: name } });
  return { ...agent, id: agents[0].id, key: agents[0].api_key };
}

suite('the audit of spending', () => {
  let stage: SpendingStage;
  /** Payments: one in a budget session, one with an approval, one refused, and one of an agent that a program registered. */
  before(async () => {
    stage = await openSpendingStage();
    const { urls, agent, owner } = stage;
    const opened = await call(urls[0], 'POST /api/spending/budgets', {
      key: agent.key,
      body: { amount_usd: '5.00', expires_in_seconds: 600 },
    });
    assert.equal((await hire(stage, { 'x-budget-session': opened.body['data'].id })).status, 200);
    await setPolicy(stage, { approve_above_usd: '1.00', per_day_usd: '2.50' });
    const asked = await hire(stage);
    await asOwner(urls[0], owner, `POST /api/spending/approvals/${asked.body['data'].approval_id}`, { decision: 'approve' });
    assert.equal((await hire(stage)).status, 200);
    assert.equal((await hire(stage)).body['code'], 'spend_refused');
    assert.equal((await hire({ ...stage, agent: await registerByProgram(stage) })).status, 200);
  });
  after(() => stage.close());

  test('the audit of spending finds nothing in sound data', async () => {
    await until('nothing being found', async () => ((await findBroken(stage.database)).broken.length === 0 ? true : undefined), 30).catch(
      async () => assert.deepEqual((await findBroken(stage.database)).broken, []),
    );
  });

  for (const { what, breaks, sql } of spendingCorruptions) {
    test(`the audit of spending reports ${what} (${breaks})`, async () => {
      const { broken, changed } = await findBroken(stage.database, sql);
      assert.ok(changed > 0, 'nothing was spoilt');
      assert.ok(broken.includes(breaks), `reported ${broken.join(', ') || 'nothing'}`);
    });
  }
});
