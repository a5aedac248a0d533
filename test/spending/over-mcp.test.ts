/** A connected program pays over MCP within the limit that its person chose at the consent, and that of their account. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { registerAgent } from '../harness/agents.ts';
import { call, expectCall } from '../harness/http.ts';
import { MACHINE_BRIEF, readOffer } from '../harness/machine-buyers.ts';
import { callTool, connectMcp, type ToolReply } from '../harness/mcp.ts';
import { connectProgram } from '../harness/oauth.ts';
import { signed, tokenFor } from '../harness/people.ts';
import { hire, openSpendingStage, type SpendingStage } from './stage.ts';

const SCOPE = 'read hire';

let stage: SpendingStage;
let ines: string;
before(async () => {
  stage = await openSpendingStage();
  ines = await tokenFor(stage.urls[0], { email: 'ines@example.com' });
});
after(() => stage.close());

async function payOver(client: Awaited<ReturnType<typeof connectMcp>>, meta: object = {}): Promise<ToolReply> {
  const accepted = await readOffer(stage, stage.urls[0], stage.serviceId, 'base-mainnet');
  const payment = { x402Version: 2, accepted, payload: await stage.owner.authorise(accepted) };
  const args = { service_id: stage.serviceId, brief: MACHINE_BRIEF };
  return await callTool(client, 'submit_payment', args, { 'x402/payment': payment, ...meta });
}

const codeOf = ({ structuredContent }: ToolReply) => structuredContent['code'] ?? null;

test('O11: a program over the limit of its consent is refused with an explanation; another program has its own limit', async () => {
  const { urls } = stage;
  const first = await connectProgram(urls[0], ines, { scope: SCOPE, daily_limit_usd: '1.50' });
  const client = await connectMcp(urls[0], first.accessToken);
  const paid = await payOver(client);
  assert.equal(paid.isError ?? false, false, JSON.stringify(paid.structuredContent));
  const refused = await payOver(client);
  assert.deepEqual([refused.isError, codeOf(refused)], [true, 'spend_refused'], JSON.stringify(refused.structuredContent));
  assert.match(
    String(refused.structuredContent['error']),
    /The limit of this connected program is 1\.50 USD per day\..*Nothing was taken\./,
  );
  assert.deepEqual(refused.structuredContent['data'].subject, { kind: 'connection', id: first.connectionId });

  const second = await connectProgram(urls[0], ines, { scope: SCOPE, daily_limit_usd: '1.50' });
  const other = await connectMcp(urls[0], second.accessToken);
  assert.equal((await payOver(other)).isError ?? false, false);

  const shown = (await expectCall(urls[0], 200, 'GET /api/spending/policies', { key: ines })) as unknown as Record<string, unknown>[];
  const limits = shown
    .filter(({ kind }) => kind === 'connection')
    .map(({ id, spent_day_usd, left_day_usd }) => [id, spent_day_usd, left_day_usd]);
  assert.deepEqual(limits, [
    [second.connectionId, '1.10', '0.40'],
    [first.connectionId, '1.10', '0.40'],
  ]);
  await Promise.all([client.close(), other.close()]);
});

test('the policy of an account counts its programs and its agents’ keys together, and freezes them together', async () => {
  const { urls } = stage;
  const key = await tokenFor(urls[0], { email: 'noor@example.com' });
  const agent = await registerAgent(urls[0], {}, { key });
  const [own] = (await expectCall(urls[0], 200, 'GET /api/spending/policies', { key })) as unknown as { kind: string; id: string }[];
  assert.equal(own?.kind, 'account');
  const account = `PUT /api/spending/policies/account/${own.id}` as const;
  await expectCall(urls[0], 200, account, { key, body: { per_day_usd: '2.00' } });
  const { accessToken } = await connectProgram(urls[0], key, { scope: SCOPE, agent_id: agent.id });
  const client = await connectMcp(urls[0], accessToken);
  assert.equal((await payOver(client)).isError ?? false, false);
  const byKey = await hire({ ...stage, agent });
  assert.deepEqual([byKey.status, byKey.body['data'].subject.kind], [403, 'account']);
  await expectCall(urls[0], 200, account, { key, body: { frozen: true } });
  assert.equal(codeOf(await payOver(client)), 'spending_frozen');
  await client.close();
});

test('an MCP payment above the approval amount asks the person, too, and a budget session of another key pays nothing', async () => {
  const { urls, agent } = stage;
  const { accessToken, connectionId } = await connectProgram(urls[0], ines, { scope: SCOPE });
  await expectCall(urls[0], 200, `PUT /api/spending/policies/connection/${connectionId}`, {
    key: ines,
    body: { approve_above_usd: '1.00' },
  });
  const client = await connectMcp(urls[0], accessToken, 'legacy');
  const asked = await payOver(client);
  assert.equal(codeOf(asked), 'approval_required', JSON.stringify(asked.structuredContent));
  const { approval_id: id } = asked.structuredContent['data'];
  await expectCall(urls[0], 200, `POST /api/spending/approvals/${id}`, { key: ines, body: { decision: 'approve' } });
  const budget = await call(urls[0], 'POST /api/spending/budgets', {
    key: agent.key,
    body: { amount_usd: '5.00', expires_in_seconds: 600 },
  });
  assert.equal(codeOf(await payOver(client, { 'market/budget': budget.body['data'].id })), 'budget_session_unusable');
  const paid = await payOver(client);
  assert.equal(paid.isError ?? false, false, JSON.stringify(paid.structuredContent));
  await client.close();
});

test('O10: a program without its own agent obeys the freeze of the agent that a call names', async () => {
  const [url] = stage.urls;
  const agent = await registerAgent(url, {}, { key: ines });
  await expectCall(url, 200, `PATCH /api/spending/policies/agent/${agent.id}`, { key: ines, body: { frozen: true } });
  const { accessToken } = await connectProgram(url, ines, { scope: 'read work custody' });
  const client = await connectMcp(url, accessToken);
  const launch = async () => codeOf(await callTool(client, 'launch_token', { agent_id: agent.id, symbol: 'TIDE' }));
  assert.equal(await launch(), 'spending_frozen');
  await expectCall(url, 200, `PATCH /api/spending/policies/agent/${agent.id}`, { key: ines, body: { frozen: false } });
  assert.equal(await launch(), 'owner_proof_required', 'the next check: without an agent the program spends from no wallet');
  await client.close();
});

test('V08, O10: a wallet that pays for a program has no say in its spending; one that signs beside it is refused before any approval', async () => {
  const { urls, database, owner, chains } = stage;
  const { accessToken, connectionId } = await connectProgram(urls[0], ines, { scope: 'read work' });
  await expectCall(urls[0], 200, `PUT /api/spending/policies/connection/${connectionId}`, {
    key: ines,
    body: { approve_above_usd: '0.01' },
  });
  const client = await connectMcp(urls[0], accessToken);
  const args = { name: 'Paid Elsewhere', description: 'Paid for by a wallet of the program.', pay_to_register: true };
  const { structuredContent: challenge } = await callTool(client, 'register_agent', args);
  const accepted = challenge['accepts'].find(({ network }: { network: string }) => network === chains.get('base-mainnet')?.caip2);
  const payment = { x402Version: 2, accepted, payload: await owner.authorise(accepted) };
  const { wallet: _payer, ...proof } = await signed(owner);
  const beside = await callTool(client, 'register_agent', { ...args, owner_wallet: owner.address, ...proof }, { 'x402/payment': payment });
  assert.equal(codeOf(beside), 'owner_mismatch', JSON.stringify(beside.structuredContent));
  const asked = await callTool(client, 'register_agent', args, { 'x402/payment': payment });
  assert.equal(codeOf(asked), 'approval_required', JSON.stringify(asked.structuredContent));
  const { rows } = await database.pool.query(
    'select asked_of, deciders, person from spend_approvals a, connections c where c.id = $1 and a.principal = $2',
    [connectionId, `connection:${connectionId}`],
  );
  assert.deepEqual(
    rows.map(({ asked_of, deciders, person }) => [asked_of, deciders, person]),
    [[[rows[0]?.person], [rows[0]?.person], rows[0]?.person]],
  );
  await client.close();
});
