/** Payments above an amount wait for a person; budget sessions only shrink. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { registerPayingAgent } from '../harness/agents.ts';
import { call, type Envelope, type Reply } from '../harness/http.ts';
import { hireWith, transferProof } from '../harness/machine-buyers.ts';
import { advanceClock, listService } from '../harness/orders.ts';
import { tokenFor } from '../harness/people.ts';
import { until } from '../money/money.ts';
import { asOwner, hire, openSpendingStage, readDay, type SpendingStage, setPolicy, transferUsd, withKey } from './stage.ts';

let stage: SpendingStage;
before(async () => {
  stage = await openSpendingStage({}, { ownChains: true, hosted: false });
});
after(() => stage.close());
beforeEach(async () => {
  stage = { ...stage, agent: await registerPayingAgent(stage.urls[0], stage.owner) };
});

const codeOf = ({ status, body }: Reply) => [status, body['code'] ?? null];
const decide = (id: string, decision: string) => asOwner(stage.urls[1], stage.owner, `POST /api/spending/approvals/${id}`, { decision });

async function askedApproval(): Promise<Envelope> {
  const reply = await hire(stage);
  assert.deepEqual(codeOf(reply), [403, 'approval_required'], JSON.stringify(reply.body));
  return reply.body['data'];
}

test('a payment above the approval amount asks the owner once; after the approval the same call passes once', async () => {
  await setPolicy(stage, { approve_above_usd: '1.00', per_day_usd: '3.00' });
  const asked = await askedApproval();
  assert.equal(asked['amount_usd'], '1.10');
  assert.match(String(asked['approve_url']), /\/build\/spending\?approval=apr_/);
  assert.equal((await askedApproval())['approval_id'], asked['approval_id'], 'asked once');
  await until('the notification', async () => {
    const { body } = await asOwner(stage.urls[0], stage.owner, 'GET /api/notifications');
    return body['data'].some(({ type, link }: Envelope) => type === 'spending_approval_asked' && link.includes(asked['approval_id']))
      ? true
      : undefined;
  });
  const waiting = await asOwner(stage.urls[0], stage.owner, 'GET /api/spending/approvals?status=waiting');
  assert.ok(waiting.body['data'].some(({ id, by_name }: Envelope) => id === asked['approval_id'] && by_name === stage.agent.name));

  const stranger = await tokenFor(stage.urls[0], { email: 'stranger@example.com' });
  const path = `POST /api/spending/approvals/${asked['approval_id']}` as const;
  assert.deepEqual(codeOf(await call(stage.urls[0], path, { key: stranger, body: { decision: 'approve' } })), [404, 'approval_not_found']);
  assert.deepEqual(codeOf(await call(stage.urls[0], path, { key: stage.agent.key, body: { decision: 'approve' } })), [
    403,
    'wrong_credential',
  ]);

  assert.equal((await decide(String(asked['approval_id']), 'approve')).body['data'].status, 'approved');
  assert.equal((await decide(String(asked['approval_id']), 'approve')).status, 200, 'the same decision again');
  assert.deepEqual(codeOf(await decide(String(asked['approval_id']), 'decline')), [409, 'approval_decided']);
  assert.equal((await hire(stage)).status, 200);
  assert.notEqual((await askedApproval())['approval_id'], asked['approval_id'], 'an approval passes once');
  const { body } = await call(stage.urls[0], 'GET /api/spending/recent?outcome=kept', { key: stage.agent.key });
  assert.deepEqual([body['data'][0].approval_id, body['data'][0].sentence], [asked['approval_id'], 'The owner approved it.']);
});

test('an approval overrides no other rule, holds for its amount, and can be used again when the payment fails', async () => {
  const cheap = await listService(stage.urls[0], stage.provider, { price_usd: '1.00' });
  await setPolicy(stage, { approve_above_usd: '1.00' });
  const first = await hire(stage, {}, stage.urls[0], cheap);
  await decide(first.body['data'].approval_id, 'approve');
  await setPolicy(stage, { approve_above_usd: '1.00', per_day_usd: '1.00' });
  assert.deepEqual(codeOf(await hire(stage, {}, stage.urls[0], cheap)), [403, 'spend_refused']);
  await setPolicy(stage, { approve_above_usd: '1.00' });
  const failed = await hire(stage, { 'payment-signature': 'bm90IGEgcGF5bWVudA==' }, stage.urls[0], cheap);
  assert.equal(failed.status, 400, JSON.stringify(failed.body));
  await call(stage.urls[0], `PATCH /api/services/${cheap}`, { headers: stage.provider.headers, body: { price_usd: '2.00' } });
  const dearer = await hire(stage, {}, stage.urls[0], cheap);
  assert.deepEqual([...codeOf(dearer), dearer.body['data'].amount_usd], [403, 'approval_required', '2.20'], 'the price went up');
});

test('an approval can be read by its id, with the names of provider and service; at most 20 wait for one agent', async () => {
  await setPolicy(stage, { approve_above_usd: '1.00' });
  const first = await askedApproval();
  const list = (query: string) => asOwner(stage.urls[0], stage.owner, `GET /api/spending/approvals?${query}`);
  const { body } = await list(`id=${first['approval_id']}`);
  const [shown] = body['data'];
  assert.deepEqual(
    [body['total'], shown.id, shown.provider_name, shown.title, shown.category],
    [1, first['approval_id'], stage.provider.name, 'Careful proofreading', 'custom'],
  );
  const stranger = await tokenFor(stage.urls[0], { email: 'stranger@example.com' });
  const foreign = await call(stage.urls[0], `GET /api/spending/approvals?id=${first['approval_id']}`, { key: stranger });
  assert.deepEqual(foreign.body['data'], []);

  await stage.database.pool.query(
    `insert into spend_approvals (id, principal, operation, call_hash, amount_micros, sentence, asked_of, deciders, expires_at)
     select id || n, principal, operation, sha256(convert_to(n::text, 'UTF8')), amount_micros, sentence, asked_of, deciders, expires_at
     from spend_approvals, generate_series(1, 19) n where id = $1`,
    [first['approval_id']],
  );
  assert.equal((await askedApproval())['approval_id'], first['approval_id'], 'one that waits is asked for again');
  const other = await listService(stage.urls[0], stage.provider, { price_usd: '1.00' });
  const refused = await hire(stage, {}, stage.urls[0], other);
  assert.deepEqual([...codeOf(refused), refused.body['data'].rule], [403, 'spend_refused', 'approve_above']);
  assert.match(String(refused.body['error']), /20 payments wait for approval already, so the owner was not asked\. Nothing was taken\./);
  await decide(String(first['approval_id']), 'decline');
  assert.deepEqual(codeOf(await hire(stage, {}, stage.urls[0], other)), [403, 'approval_required'], 'one is decided');
});

test('a request for approval of a transfer says until when the transfer can pay', async () => {
  await setPolicy(stage, { approve_above_usd: '1.00' });
  const transfer = await transferUsd(stage, 1_100_000n);
  const proof = transferProof('base-mainnet', transfer);
  const ask = () => hireWith(stage.urls[0], stage.serviceId, withKey(stage, proof));
  const asked = await ask();
  assert.deepEqual(codeOf(asked), [403, 'approval_required']);
  assert.match(String(asked.body['error']), /name it again in that call, or ask the operators.*within 60 minutes after it was made\./);
  await decide(asked.body['data'].approval_id, 'decline');
  assert.match(
    String((await ask()).body['error']),
    /The owner declined this payment\. Your transfer bought nothing\. Ask the operators to refund it\.$/,
  );
});

async function openBudget(body: Record<string, unknown>): Promise<Envelope> {
  const reply = await call(stage.urls[0], 'POST /api/spending/budgets', { key: stage.agent.key, body });
  assert.equal(reply.status, 201, JSON.stringify(reply.body));
  return reply.body['data'];
}

const inSession = (id: string) => ({ 'x-budget-session': id });

test('calls of a budget session pay at most its amount until it ends', async () => {
  const { id } = await openBudget({ amount_usd: '2.00', expires_in_seconds: 3600, label: 'Logo' });
  assert.equal((await hire(stage, inSession(id))).status, 200);
  const over = await hire(stage, inSession(id));
  assert.deepEqual([...codeOf(over), over.body['data'].rule], [409, 'budget_session_unusable', 'budget_session']);
  const shown = await call(stage.urls[1], 'GET /api/spending/budgets', { key: stage.agent.key });
  assert.deepEqual([shown.body['data'][0].used_usd, shown.body['data'][0].left_usd], ['1.10', '0.90']);
  assert.equal((await hire(stage)).status, 200, 'without the session nothing limits this agent');
});

test('a budget session only shrinks, and belongs to its key', async () => {
  const { urls, agent } = stage;
  const { id } = await openBudget({ amount_usd: '5.00', expires_in_seconds: 3600 });
  const shrink = (body: Record<string, unknown>, key = agent.key) => call(urls[0], `PATCH /api/spending/budgets/${id}`, { key, body });
  assert.deepEqual(codeOf(await shrink({ amount_usd: '6.00' })), [400, 'budget_only_shrinks']);
  assert.deepEqual(codeOf(await shrink({ expires_in_seconds: 7200 })), [400, 'budget_only_shrinks']);
  assert.equal((await hire(stage, inSession(id))).status, 200);
  assert.deepEqual(codeOf(await shrink({ amount_usd: '1.00' })), [400, 'budget_only_shrinks'], 'not below what is used');
  assert.equal((await shrink({ amount_usd: '1.50', expires_in_seconds: 600 })).body['data'].left_usd, '0.40');
  const other = await registerPayingAgent(urls[0], stage.owner);
  assert.deepEqual(codeOf(await shrink({ amount_usd: '1.20' }, other.key)), [404, 'budget_not_found']);
  assert.deepEqual(codeOf(await hire({ ...stage, agent: other }, inSession(id))), [409, 'budget_session_unusable']);
  const closed = await asOwner(urls[0], stage.owner, `DELETE /api/spending/budgets/${id}`);
  assert.deepEqual([closed.status, closed.body['data'].status], [200, 'closed'], 'the owner may close it');
  assert.deepEqual(codeOf(await hire(stage, inSession(id))), [409, 'budget_session_unusable']);
  assert.deepEqual(codeOf(await shrink({ amount_usd: '1.20' })), [409, 'budget_session_unusable']);
});

test('ten parallel pays of one session never pass its amount', async () => {
  const { id } = await openBudget({ amount_usd: '3.50', expires_in_seconds: 3600 });
  const replies = await Promise.all(Array.from({ length: 10 }, (_, n) => hire(stage, inSession(id), stage.urls[n % 2])));
  assert.equal(replies.filter(({ status }) => status === 200).length, 3);
});

// From here on the clock moves. Wallets sign by real time, so signed payments have expired by then; decisions have not.

test('a day later the daily limit of a policy is free again', async () => {
  await setPolicy(stage, { per_day_usd: '1.50' });
  assert.equal((await hire(stage)).status, 200);
  assert.deepEqual(codeOf(await hire(stage)), [403, 'spend_refused']);
  await advanceClock(stage.urls[0], 24 * 3600 + 60);
  assert.equal((await readDay(stage))['spent_day_usd'], '0.00');
  const { body } = await call(stage.urls[0], 'POST /api/spending/check', { key: stage.agent.key, body: { service_id: stage.serviceId } });
  assert.equal(body['data'].decision, 'allow');
});

test('a declined payment stays refused, and an undecided one expires', async () => {
  await setPolicy(stage, { approve_above_usd: '1.00' });
  const asked = await askedApproval();
  await decide(String(asked['approval_id']), 'decline');
  const refused = await hire(stage);
  assert.deepEqual([...codeOf(refused), refused.body['data'].rule], [403, 'spend_refused', 'approve_above']);
  await advanceClock(stage.urls[0], 25 * 3600);
  const anew = await askedApproval();
  assert.notEqual(anew['approval_id'], asked['approval_id']);
  await advanceClock(stage.urls[0], 25 * 3600);
  assert.deepEqual(codeOf(await decide(String(anew['approval_id']), 'approve')), [409, 'approval_decided']);
});

test('a budget session that has expired pays nothing', async () => {
  const late = await openBudget({ amount_usd: '5.00', expires_in_seconds: 60 });
  await advanceClock(stage.urls[0], 61);
  assert.deepEqual(codeOf(await hire(stage, inSession(late['id']))), [409, 'budget_session_unusable']);
});
