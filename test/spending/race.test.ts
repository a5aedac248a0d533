/** 50 parallel payments on two processes never pass a limit per day. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { CHARGED_MICROS, countOrders, hireWith, signPayment } from '../harness/machine-buyers.ts';
import { requireSound } from '../money/money.ts';
import { countSpendings, openSpendingStage, readDay, type SpendingStage, setPolicy, withKey } from './stage.ts';

const PARALLEL = 50;
const WITHIN = 4;

let stage: SpendingStage;
before(async () => {
  stage = await openSpendingStage();
});
after(() => stage.close());

const balance = async () => (await stage.owner.payer.chain.readBalances(stage.owner.address)).usdcMicros;

test(`of ${PARALLEL} parallel pays on two processes exactly those within the limit per day are paid`, async () => {
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

test('one payment sent by 20 parallel calls on two processes counts once', async () => {
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
