/** Payments at the same moment: many on two processes never exceed a daily limit, and each is counted. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { MarketError, operationList } from '@market/contract';
import type { Caller } from '../../packages/server/src/access/caller.ts';
import { createSpendGuard, type SpendingContext } from '../../packages/server/src/features/spending/index.ts';
import { registerPayingAgent } from '../harness/agents.ts';
import { call, type Reply } from '../harness/http.ts';
import { CHARGED_MICROS, countOrders, hireWith, readOffer, signPayment, transferProof, versionTwo } from '../harness/machine-buyers.ts';
import { listService } from '../harness/orders.ts';
import { times } from '../harness/thoroughness.ts';
import { requireSound } from '../money/money.ts';
import {
  countSpendings,
  openSpendingStage,
  payByKey,
  placeByKey,
  readDay,
  type SpendingStage,
  setPolicy,
  transferUsd,
  untilHeld,
  untilWaiting,
  whileHeld,
  withKey,
} from './stage.ts';

const PARALLEL = times(20, 50);
const WITHIN = 4;

let stage: SpendingStage;
before(async () => {
  stage = await openSpendingStage({}, { hosted: false });
});
after(() => stage.close());

const balance = async () => (await stage.owner.payer.chain.readBalances(stage.owner.address)).usdcMicros;

test(`of ${PARALLEL} parallel payments on two processes exactly those within the daily limit are paid`, async () => {
  await setPolicy(stage, { per_day_usd: '5.00' });
  const [held, ordersBefore] = [await balance(), await countOrders(stage)];
  const payments = await Promise.all(Array.from({ length: PARALLEL }, () => signPayment(stage, stage.owner)));
  const replies = await Promise.all(
    payments.map((payment, n) => hireWith(stage.urls[n % 2] ?? '', stage.serviceId, withKey(stage, payment))),
  );
  const paid = replies.filter(({ status }) => status === 200);
  const refused = replies.filter(({ body }) => body['code'] === 'spend_refused');
  assert.deepEqual(
    [paid.length, refused.length],
    [WITHIN, PARALLEL - WITHIN],
    JSON.stringify(replies.map(({ status, body }) => [status, body['code']])),
  );
  assert.equal(held - (await balance()), BigInt(WITHIN) * CHARGED_MICROS);
  assert.equal((await countOrders(stage)) - ordersBefore, WITHIN);
  assert.deepEqual(await countSpendings(stage), { kept: WITHIN, refused: PARALLEL - WITHIN });
  assert.deepEqual([(await readDay(stage))['spent_day_usd'], (await readDay(stage))['left_day_usd']], ['4.40', '0.60']);
  const [first] = refused;
  assert.match(String(first?.body['error']), /limit of the agent .* is 5\.00 USD per day.*Nothing was taken\./);
  assert.deepEqual(first?.body['data'].subject, { kind: 'agent', id: stage.agent.id });
  await requireSound(stage.money);
});

test('one payment sent by 20 parallel calls on two processes counts once against the policy', async () => {
  await setPolicy(stage, { per_day_usd: '6.00' });
  const payment = await signPayment(stage, stage.owner);
  const replies = await Promise.all(
    Array.from({ length: 20 }, (_, n) => hireWith(stage.urls[n % 2] ?? '', stage.serviceId, withKey(stage, payment))),
  );
  const orders = new Set(replies.filter(({ status }) => status === 200).map(({ body }) => body['data'].order_id));
  assert.equal(orders.size, 1, JSON.stringify(replies.map(({ status, body }) => [status, body['code']])));
  const again = await hireWith(stage.urls[1], stage.serviceId, withKey(stage, payment));
  assert.equal(again.status, 200, 'the limit is nearly used up, and a repeat pays nothing');
  assert.equal((await readDay(stage))['spent_day_usd'], '5.50');
  assert.equal((await countSpendings(stage))['reserved'], undefined, 'nothing is left over');
});

const codeOf = ({ status, body }: Reply) => [status, body['code'] ?? null];
/** With a new agent, which has spent nothing. */
const withNewAgent = async () => ({ ...stage, agent: await registerPayingAgent(stage.urls[0], stage.owner) });
const changePrice = async (serviceId: string, price_usd: string) => {
  const reply = await call(stage.urls[0], `PATCH /api/services/${serviceId}`, { headers: stage.provider.headers, body: { price_usd } });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
};

test('two calls with one transfer never share a reservation: the second is refused meanwhile, and the purchase counts', async () => {
  const own = await withNewAgent();
  const { id } = own.provider;
  await setPolicy(own, { per_day_usd: '1.00' });
  const [first, second] = [await placeByKey(own), await placeByKey(own)];
  const transfer = await transferUsd(own, 1_000_000n);
  const { paying } = await whileHeld(own, 'select 1 from orders where id = $1', first, async () => {
    const started = payByKey(own, first, transfer);
    await untilHeld(own, 1);
    assert.deepEqual(codeOf(await payByKey(own, second, transfer)), [409, 'payment_under_way']);
    const hired = await hireWith(own.urls[0], own.serviceId, withKey(own, transferProof('base-mainnet', transfer)));
    assert.deepEqual(codeOf(hired), [409, 'payment_under_way'], 'nor a hire');
    return { paying: started };
  });
  assert.equal((await paying).status, 200);
  assert.deepEqual([(await readDay(own))['spent_day_usd'], await countSpendings(own)], ['1.00', { kept: 1 }]);
  await setPolicy(own, { per_day_usd: '1.00', block_agents: [id] });
  assert.deepEqual(codeOf(await payByKey(own, second, transfer)), [409, 'payment_already_used'], 'the transfer is spent');
  await requireSound(own.money);
});

/** Asks the guard in this process, so that nothing runs between its answer and the handler. */
function askGuard(own: SpendingStage, name: string, input: Record<string, unknown>) {
  const operation = operationList.find((one) => one.name === name);
  assert.ok(operation);
  const { database, chains, money } = own;
  const caller = { agent: { id: own.agent.id, name: own.agent.name, ownerWallet: own.owner.address } } as unknown as Caller;
  const guard = createSpendGuard({ database, chains, clock: money.clock } as unknown as SpendingContext);
  return guard.begin({ operation, input, caller, hash: Buffer.alloc(32), idempotencyKey: undefined, budgetSession: undefined });
}

test('a call repeated while it pays joins its reservation, also after the price went up', async () => {
  const own = await withNewAgent();
  const service = await listService(own.urls[0], own.provider, { price_usd: '1.00' });
  await setPolicy(own, { per_day_usd: '1.50' });
  const input = { service_id: service, ...{ x_payment: `0x${'ab'.repeat(32)}`, x_payment_network: 'base-mainnet' } };
  const first = await askGuard(own, 'x402.pay', input);
  await changePrice(service, '2.00');
  const repeated = await askGuard(own, 'x402.pay', input);
  assert.deepEqual([first?.maxMicros, repeated?.maxMicros], [CHARGED_MICROS, CHARGED_MICROS]);
  assert.deepEqual([(await readDay(own))['spent_day_usd'], await countSpendings(own)], ['1.10', { reserved: 1 }]);
  const refused = new MarketError('payment_not_found');
  await first?.settle(refused);
  assert.deepEqual(await countSpendings(own), { reserved: 1 }, 'the repeat still pays');
  await repeated?.settle(refused);
  assert.deepEqual(await countSpendings(own), { released: 1 });
});

test('a signed payment never exceeds its reservation: after a raise of the price it takes no money', async () => {
  const own = await withNewAgent();
  const service = await listService(own.urls[0], own.provider, { price_usd: '1.00' });
  await setPolicy(own, { per_order_usd: '1.50' });
  const raised = { ...(await readOffer(own, own.urls[0], service, 'base-mainnet')), amount: '2200000' };
  const payment = versionTwo(raised, await own.owner.authorise(raised));
  const before = await balance();
  const { hiring } = await whileHeld(own, 'select 1 from spend_policies where subject_id = $1', own.agent.id, async () => {
    const started = hireWith(own.urls[0], service, withKey(own, payment));
    await untilWaiting(own);
    await changePrice(service, '2.00');
    return { hiring: started };
  });
  assert.deepEqual(codeOf(await hiring), [409, 'price_changed']);
  assert.deepEqual([await balance(), await countSpendings(own)], [before, { released: 1 }]);
});

test('an order that gets a quote after the policies were checked is not paid by that call', async () => {
  const own = await withNewAgent();
  const byQuote = await listService(own.urls[0], own.provider, { price_type: 'quote', price_usd: '0' });
  const id = await placeByKey(own, byQuote);
  await setPolicy(own, { per_order_usd: '1.00' });
  const charge = await askGuard(own, 'orders.pay', { id, escrow_tx_hash: `0x${'cd'.repeat(32)}`, payment_chain: 'base' });
  assert.ok(charge);
  assert.equal(charge.maxMicros, 0n);
  const keep = own.database.transaction((tx) => charge.keep(tx, { data: {} }));
  await assert.rejects(keep, (error) => error instanceof MarketError && error.code === 'price_changed');
});
