/** Rules of a policy: what they refuse, what they count, and what they ignore. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { registerPayingAgent } from '../harness/agents.ts';
import { call, type Reply } from '../harness/http.ts';
import { hireWith, openMachineBuyer, readOffer, signPayment, transferProof, versionTwo } from '../harness/machine-buyers.ts';
import { act, listService, openProvider, payOrder, placeOrder } from '../harness/orders.ts';
import { asHeaders, signed, tokenFor } from '../harness/people.ts';
import { requireSound } from '../money/money.ts';
import {
  asOwner,
  countSpendings,
  hire,
  openSpendingStage,
  payByKey,
  placeByKey,
  readDay,
  type SpendingStage,
  setPolicy,
  transferUsd,
  withKey,
} from './stage.ts';

let stage: SpendingStage;
before(async () => {
  stage = await openSpendingStage();
});
after(() => stage.close());
/** A new agent for each test, without spending. */
beforeEach(async () => {
  stage = { ...stage, agent: await registerPayingAgent(stage.urls[0], stage.owner) };
});

const codeOf = ({ status, body }: Reply) => [status, body['code'] ?? null];
const ruleOf = ({ body }: Reply) => body['data']?.rule;

test('without a policy a machine pays as before, and nothing is recorded', async () => {
  assert.equal((await hire(stage)).status, 200);
  const recent = await call(stage.urls[0], 'GET /api/spending/recent', { key: stage.agent.key });
  assert.deepEqual([recent.status, recent.body['total']], [200, 0]);
});

test('each rule of a policy refuses with its name, and no money is taken', async () => {
  const { id: provider } = stage.provider;
  const rules: readonly (readonly [string, Record<string, unknown>])[] = [
    ['per_order', { per_order_usd: '1.00' }],
    ['per_day', { per_day_usd: '1.00' }],
    ['per_provider_day', { per_provider_day_usd: '1.00' }],
    ['per_category_day', { per_category_day_usd: '1.00' }],
    ['block_agents', { block_agents: [provider] }],
    ['allow_agents', { allow_agents: [stage.agent.id] }],
    ['block_categories', { block_categories: ['custom'] }],
    ['allow_categories', { allow_categories: ['coding'] }],
  ];
  const before = await stage.owner.payer.chain.readBalances(stage.owner.address);
  for (const [rule, policy] of rules) {
    await setPolicy(stage, policy);
    const reply = await hire(stage);
    assert.deepEqual([...codeOf(reply), ruleOf(reply)], [403, 'spend_refused', rule], JSON.stringify(reply.body));
    assert.match(String(reply.body['error']), /Nothing was taken\.$/);
    assert.equal(reply.body['data'].asked_usd, '1.10');
  }
  await setPolicy(stage, { frozen: true });
  assert.deepEqual(codeOf(await hire(stage)), [403, 'spending_frozen']);
  assert.deepEqual(await stage.owner.payer.chain.readBalances(stage.owner.address), before);
  const { body } = await call(stage.urls[0], 'GET /api/spending/recent?outcome=refused&limit=2', { key: stage.agent.key });
  assert.deepEqual([body['total'], body['data'].length, body['data'][0].rule], [rules.length + 1, 2, 'frozen']);
  const next = await call(stage.urls[0], `GET /api/spending/recent?outcome=refused&cursor=${body['next_cursor']}`, {
    key: stage.agent.key,
  });
  assert.equal(next.body['data'].length, rules.length - 1);
});

test('setting an empty policy removes it', async () => {
  await setPolicy(stage, { per_day_usd: '1.00' });
  assert.equal((await setPolicy(stage, {}))['is_set'], false);
  assert.equal((await hire(stage)).status, 200);
});

test('a payment that fails no longer counts against the policy', async () => {
  await setPolicy(stage, { per_day_usd: '2.00' });
  const offer = await readOffer(stage, stage.urls[0], stage.serviceId, 'base-mainnet');
  const payload = await stage.owner.authorise(offer);
  const spoilt = { ...payload, signature: `0x${'11'.repeat(65)}` };
  const failed = await hireWith(stage.urls[0], stage.serviceId, withKey(stage, versionTwo(offer, spoilt)));
  assert.equal(failed.status, 402, JSON.stringify(failed.body));
  assert.equal((await readDay(stage))['spent_day_usd'], '0.00');
  assert.equal((await hire(stage)).status, 200);
  assert.deepEqual([(await readDay(stage))['spent_day_usd'], (await readDay(stage))['left_day_usd']], ['1.10', '0.90']);
});

test('an order paid by transfer counts once against a policy; over the limit the refusal says what becomes of the transfer', async () => {
  const { urls, agent } = stage;
  await setPolicy(stage, { per_day_usd: '1.50' });
  const [first, second] = [await placeByKey(stage), await placeByKey(stage)];
  const pay = (id: string, transfer: string) => payByKey(stage, id, transfer);
  const transfer = await transferUsd(stage, 1_000_000n);
  assert.equal((await pay(first, transfer)).status, 200);
  assert.equal((await pay(first, transfer)).status, 200, 'a repeat');
  assert.equal((await readDay(stage))['spent_day_usd'], '1.00');
  const late = await transferUsd(stage, 1_000_000n);
  const refused = await pay(second, late);
  assert.deepEqual([...codeOf(refused), ruleOf(refused)], [403, 'spend_refused', 'per_day']);
  assert.match(String(refused.body['error']), /Your transfer bought nothing\..*raise the limit and repeat this call.*refund/);
  await setPolicy(stage, { per_day_usd: '2.00' });
  assert.equal((await pay(second, late)).status, 200, 'the owner raised the limit');
  const { body } = await call(urls[0], 'GET /api/spending/recent?outcome=kept', { key: agent.key });
  assert.deepEqual(
    body['data'].map(({ bought }: { bought: string }) => bought),
    [second, first],
  );
});

test('a hire by transfer over the limit is refused with the same explanation as an order', async () => {
  await setPolicy(stage, { per_order_usd: '1.00' });
  const transfer = await stage.owner.payer.pay(stage.chains.get('base-mainnet')?.treasury ?? '', 1_100_000n);
  const reply = await hireWith(stage.urls[0], stage.serviceId, withKey(stage, transferProof('base-mainnet', transfer)));
  assert.deepEqual([...codeOf(reply), ruleOf(reply)], [403, 'spend_refused', 'per_order']);
  assert.match(String(reply.body['error']), /Your transfer bought nothing.*within 60 minutes after it was made\./);
});

test('the refusal of a transfer by a policy names what the caller can do about it', async () => {
  const orderId = await placeByKey(stage);
  const transfer = await transferUsd(stage, 1_000_000n);
  const wordsUnder = async (policy: Record<string, unknown>) => {
    await setPolicy(stage, policy);
    return String((await payByKey(stage, orderId, transfer)).body['error']);
  };
  assert.match(await wordsUnder({ frozen: true }), /bought nothing\. Ask the owner to lift the freeze and repeat/);
  assert.match(await wordsUnder({ block_agents: [stage.provider.id] }), /bought nothing\. Ask the owner to allow this agent and repeat/);
  assert.match(await wordsUnder({ allow_categories: ['coding'] }), /bought nothing\. Ask the owner to allow this category and repeat/);
  assert.match(await wordsUnder({ per_day_usd: '0.50' }), /bought nothing\. Ask the owner to raise the limit and repeat/);
});

test('a signed payment that failed and then succeeds counts against the policy', async () => {
  const { database } = stage;
  assert.equal((await hire(stage)).status, 200, 'without a policy: its records are the pattern of the failed ones');
  await setPolicy(stage, { frozen: true });
  const payment = await signPayment(stage, stage.owner);
  assert.equal((await hireWith(stage.urls[0], stage.serviceId, withKey(stage, payment))).status, 403);
  const { rows } = await database.pool.query<{ reference: string }>('select reference from spendings where principal = $1', [
    `agent:${stage.agent.id}`,
  ]);
  const [, caip2, alias] = String(rows[0]?.reference).split(' ');
  await database.pool.query(`insert into payment_aliases (caip2, alias, subject_id) values ($1, $2, 'ord_1_failed')`, [caip2, alias]);
  await database.pool.query(
    `insert into x402_payments (caip2, alias, network, state, purpose, subject_id, fingerprint, request, version, payload, requirement,
                                amount_micros, payer, reason, created_at)
     select $1, $2, network, 'failed', purpose, 'ord_1_failed', fingerprint, request, version, payload, requirement, amount_micros, payer,
            'insufficient_funds', market_now() - interval '1 minute' from x402_payments where state = 'settled' limit 1`,
    [caip2, alias],
  );
  await setPolicy(stage, { per_day_usd: '2.00' });
  const paid = await hireWith(stage.urls[0], stage.serviceId, withKey(stage, payment));
  assert.equal(paid.status, 200, JSON.stringify(paid.body));
  assert.equal((await readDay(stage))['spent_day_usd'], '1.10');
});

test('a hire by signed payment that lost the lease of its Idempotency-Key is answered and counts against the policy', async () => {
  const { pool } = stage.database;
  await setPolicy(stage, { per_day_usd: '2.00' });
  await pool.query(`create function take_lease() returns trigger language plpgsql as
    $$ begin update idempotency_keys set lease_token = gen_random_uuid(); return null; end $$`);
  await pool.query('create trigger take_lease after insert on x402_purchases execute function take_lease()');
  const paid = await hire(stage, { 'idempotency-key': 'slow' });
  await pool.query('drop function take_lease cascade');
  assert.equal(paid.status, 200, JSON.stringify(paid.body));
  assert.equal((await readDay(stage))['spent_day_usd'], '1.10');
});

test('a transfer whose claim moves to another hire is checked against the policy again, and counts for that hire alone', async () => {
  const { urls, provider } = stage;
  const payer = await openMachineBuyer(stage, 'base-mainnet', 10_000_000n);
  const other = await openProvider(urls[0]);
  const [cheap, dear] = [
    await listService(urls[0], provider, { price_usd: '4.00' }),
    await listService(urls[0], other, { price_usd: '5.00' }),
  ];
  const transfer = await transferUsd(stage, 6_000_000n, payer);
  const hireBy = async (serviceId: string, more: Record<string, string> = {}) =>
    await hireWith(urls[0], serviceId, withKey(stage, { ...transferProof('base-mainnet', transfer), ...more }));
  await setPolicy(stage, { per_order_usd: '6.00', block_agents: [other.id] });
  const bare = await hireBy(cheap);
  assert.equal(bare.status, 200, JSON.stringify(bare.body));
  assert.ok(bare.body['data'].contestable_until, 'the claim can move');
  assert.equal((await readDay(stage))['spent_day_usd'], '4.40');
  const proof = asHeaders(await signed(payer));
  const refused = await hireBy(dear, proof);
  assert.deepEqual([...codeOf(refused), ruleOf(refused)], [403, 'spend_refused', 'block_agents']);
  await setPolicy(stage, { per_order_usd: '6.00' });
  const moved = await hireBy(dear, proof);
  assert.equal(moved.status, 200, JSON.stringify(moved.body));
  assert.equal((await readDay(stage))['spent_day_usd'], '5.50');
  assert.equal((await hireBy(dear, proof)).status, 200, 'a repeat');
  assert.deepEqual(await countSpendings(stage), { kept: 1, released: 1, refused: 1 });
  await requireSound(stage.money);
});

test('paying a stranger’s order is refused as not one’s own, whatever the policy says about its provider', async () => {
  const orderId = await placeOrder(stage.urls[0], stage.serviceId, await openMachineBuyer(stage, 'base-mainnet'));
  await setPolicy(stage, { block_agents: [stage.provider.id], approve_above_usd: '0.10' });
  const reply = await payByKey(stage, orderId, await transferUsd(stage, 1_000_000n));
  assert.deepEqual(codeOf(reply), [403, 'not_your_order']);
  assert.deepEqual(await countSpendings(stage), {});
});

test('a freeze and limits do not change each other, and lifting the freeze of an agent without limits removes its policy', async () => {
  const freeze = async (frozen: boolean) => {
    const reply = await asOwner(stage.urls[0], stage.owner, `PATCH /api/spending/policies/agent/${stage.agent.id}`, { frozen });
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    return reply.body['data'];
  };
  assert.deepEqual([(await freeze(true))['frozen'], (await freeze(false))['is_set']], [true, false]);
  await setPolicy(stage, { per_day_usd: '3.00', block_categories: ['coding'] });
  const frozen = await freeze(true);
  assert.deepEqual([frozen['frozen'], frozen['per_day_usd'], frozen['block_categories']], [true, '3.00', ['coding']]);
  assert.deepEqual(codeOf(await hire(stage)), [403, 'spending_frozen']);
  const kept = await setPolicy(stage, { per_day_usd: '3.00', frozen: undefined });
  assert.equal(kept['frozen'], true, 'limits that were set from a form opened before the freeze do not lift it');
  assert.deepEqual([(await freeze(false))['per_day_usd'], (await hire(stage)).status], ['3.00', 200]);
  const byKey = await call(stage.urls[0], `PATCH /api/spending/policies/agent/${stage.agent.id}`, {
    key: stage.agent.key,
    body: { frozen: false },
  });
  assert.deepEqual(codeOf(byKey), [403, 'wrong_credential']);
});

test('the policy of an account counts all its agents together, but not its owner', async () => {
  const owner = await openMachineBuyer(stage, 'base-mainnet');
  stage = { ...stage, owner, agent: await registerPayingAgent(stage.urls[0], owner) };
  const other = { ...stage, agent: await registerPayingAgent(stage.urls[0], owner) };
  const account = `account/wallet:${stage.owner.address}`;
  await setPolicy(stage, { per_day_usd: '2.00' }, account);
  assert.equal((await hire(stage)).status, 200);
  const refused = await hire(other);
  assert.deepEqual([...codeOf(refused), refused.body['data'].subject.kind], [403, 'spend_refused', 'account']);
  const orderId = await placeOrder(stage.urls[0], stage.serviceId, stage.owner);
  await payOrder(stage.urls[0], orderId, stage.owner);
  await setPolicy(stage, { frozen: true }, account);
  assert.deepEqual(codeOf(await hire(other)), [403, 'spending_frozen']);
  assert.equal(
    (await act(stage.urls[0], orderId, stage.owner, 'cancel', { reason: 'Changed my mind.' })).status,
    200,
    'people are not frozen',
  );
  await setPolicy(stage, {}, account);
});

test('only the owner sets a policy: neither the key, nor a stranger, nor an account for another', async () => {
  const { urls, agent } = stage;
  const path = `PUT /api/spending/policies/agent/${agent.id}` as const;
  assert.deepEqual(codeOf(await call(urls[0], path, { key: agent.key, body: { per_day_usd: '1000.00' } })), [403, 'wrong_credential']);
  const stranger = await tokenFor(urls[0], { email: 'stranger@example.com' });
  assert.deepEqual(codeOf(await call(urls[0], path, { key: stranger, body: {} })), [404, 'spend_subject_not_found']);
  for (const subject of [
    `account/wallet:${stage.owner.address}`,
    'account/user:somebody',
    'connection/conn_1',
    'agent/agt_1700000000000_nobody123',
  ])
    assert.deepEqual(codeOf(await call(urls[0], `PUT /api/spending/policies/${subject}`, { key: stranger, body: {} })), [
      404,
      'spend_subject_not_found',
    ]);
});

test('a dry run of a policy names the decision and its rule, and reserves nothing', async () => {
  const { urls, owner, agent, serviceId } = stage;
  await setPolicy(stage, { per_order_usd: '3.00', per_day_usd: '5.00', approve_above_usd: '2.00' });
  const dear = await listService(urls[0], stage.provider, { price_usd: '2.00' });
  const check = async (body: Record<string, unknown>) =>
    (await call(urls[0], 'POST /api/spending/check', { key: agent.key, body })).body['data'];
  assert.deepEqual(
    [await check({ service_id: serviceId }), await check({ service_id: dear }), await check({ amount_usd: '4.00' })].map(
      ({ decision, rule, asked_usd, left_day_usd }) => [decision, rule, asked_usd, left_day_usd],
    ),
    [
      ['allow', null, '1.10', '5.00'],
      ['ask', 'approve_above', '2.20', '5.00'],
      ['refuse', 'per_order', '4.00', '5.00'],
    ],
  );
  const byOwner = await asOwner(urls[0], owner, 'POST /api/spending/check', { kind: 'agent', id: agent.id, amount_usd: '4.00' });
  assert.equal(byOwner.body['data'].rule, 'per_order');
  assert.equal((await readDay(stage))['spent_day_usd'], '0.00');
  const own = await asOwner(urls[0], owner, 'GET /api/spending/policies');
  assert.ok(own.body['data'].some(({ id, per_day_usd }: Record<string, unknown>) => id === agent.id && per_day_usd === '5.00'));
});

test('a freeze also stops an identity mint and a withdrawal', async () => {
  await setPolicy(stage, { frozen: true });
  const launch = await call(stage.urls[0], `POST /api/agents/${stage.agent.id}/said`, { key: stage.agent.key, body: {} });
  assert.deepEqual(codeOf(launch), [403, 'spending_frozen']);
  const withdraw = await call(stage.urls[0], 'POST /api/agents/me/withdraw', { key: stage.agent.key, body: { chain: 'base' } });
  assert.deepEqual(codeOf(withdraw), [403, 'spending_frozen']);
});

test('a signed payment that the policy refused pays nothing later either', async () => {
  await setPolicy(stage, { per_order_usd: '1.00' });
  const payment = await signPayment(stage, stage.owner);
  assert.equal((await hireWith(stage.urls[0], stage.serviceId, withKey(stage, payment))).status, 403);
  const { rows } = await stage.database.pool.query(`select 1 from spendings where principal = $1 and status in ('reserved', 'kept')`, [
    `agent:${stage.agent.id}`,
  ]);
  assert.equal(rows.length, 0);
});
