/** kill -9 between reserving, paying and counting: the limit is never exceeded, nothing counts twice, and failed reservations end. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, suite, test } from 'node:test';
import { registerPayingAgent } from '../harness/agents.ts';
import { call } from '../harness/http.ts';
import { type Headers, hireUntilKnown, hireWith, requireHired, signPayment } from '../harness/machine-buyers.ts';
import { advanceClock, BRIEF } from '../harness/orders.ts';
import { isThorough, THOROUGH_ONLY } from '../harness/thoroughness.ts';
import { requireSound, until } from '../money/money.ts';
import { countSpendings, openSpendingStage, readDay, type SpendingStage, setPolicy, withKey } from '../spending/stage.ts';
import { hasEnded } from './crash-lab.ts';

suite('a process that crashes while a policy holds a payment', () => {
  let stage: SpendingStage;
  before(async () => {
    stage = await openSpendingStage({}, { ownChains: isThorough });
  });
  after(() => stage.close());
  beforeEach(async () => {
    stage = { ...stage, agent: await registerPayingAgent(stage.urls[0], stage.owner) };
    await setPolicy(stage, { per_day_usd: '2.00' });
  });

  async function dieAt(point: string, work: (url: string) => Promise<unknown>): Promise<void> {
    const doomed = await stage.startServer({ CRASH_AT: point, JOBS: 'off' });
    await assert.rejects(work(doomed.url), TypeError, `${point}: there was an answer`);
    await until(`${point}: death`, async () => (hasEnded(doomed) ? true : undefined));
    assert.equal(doomed.child.signalCode, 'SIGKILL', `${point}: ${doomed.log()}`);
  }

  const spent = async () => (await readDay(stage))['spent_day_usd'];
  const hireAgain = async (headers: Headers) => await requireHired(await hireUntilKnown(stage.urls[0], stage.serviceId, headers));

  test('after a crash at spending.after_reserve the reservation counts, and the same payment again counts once', async () => {
    const headers = withKey(stage, await signPayment(stage, stage.owner));
    await dieAt('spending.after_reserve', (url) => hireWith(url, stage.serviceId, headers));
    assert.deepEqual([await spent(), await countSpendings(stage)], ['1.10', { reserved: 1 }]);
    const other = await hireWith(stage.urls[1], stage.serviceId, withKey(stage, await signPayment(stage, stage.owner)));
    assert.deepEqual([other.status, other.body['code']], [403, 'spend_refused'], 'a crash does not widen the limit');
    await hireAgain(headers);
    assert.deepEqual([await spent(), await countSpendings(stage)], ['1.10', { kept: 1, refused: 1 }]);
  });

  test('a crash at spending.before_settle leaves the order, and a repeat counts it', { skip: !isThorough && THOROUGH_ONLY }, async () => {
    const headers = withKey(stage, await signPayment(stage, stage.owner));
    await dieAt('spending.before_settle', (url) => hireWith(url, stage.serviceId, headers));
    assert.deepEqual(await countSpendings(stage), { reserved: 1 });
    await hireAgain(headers);
    assert.deepEqual([await spent(), await countSpendings(stage)], ['1.10', { kept: 1 }]);
  });

  test('after a crash at spending.before_keep_commit the order is not paid and nothing counted until the call is repeated', async () => {
    const { agent, owner, urls, serviceId } = stage;
    const placed = await call(urls[0], 'POST /api/orders', { key: agent.key, body: { service_id: serviceId, brief: BRIEF } });
    const id = placed.body['data'].order_id as string;
    const transfer = await owner.payer.pay(stage.chains.get('base-mainnet')?.treasury ?? '', 1_000_000n);
    const body = { action: 'pay', escrow_tx_hash: transfer, payment_chain: 'base' };
    await dieAt('spending.before_keep_commit', (url) => call(url, `PATCH /api/orders/${id}`, { key: agent.key, body }));
    const { rows } = await stage.database.pool.query('select status from orders where id = $1', [id]);
    assert.deepEqual([rows[0]?.status, await countSpendings(stage)], ['quoted', { reserved: 1 }]);
    const again = await call(urls[1], `PATCH /api/orders/${id}`, { key: agent.key, body });
    assert.equal(again.status, 200, JSON.stringify(again.body));
    assert.deepEqual([await spent(), await countSpendings(stage)], ['1.00', { kept: 1 }]);
  });

  test('after a crash without a repeat the job counts purchases, and releases other reservations after an hour', {
    skip: !isThorough && THOROUGH_ONLY,
  }, async () => {
    const bought = withKey(stage, await signPayment(stage, stage.owner));
    await dieAt('spending.before_settle', (url) => hireWith(url, stage.serviceId, bought));
    const first = stage.agent;
    stage = { ...stage, agent: await registerPayingAgent(stage.urls[0], stage.owner) };
    await setPolicy(stage, { per_day_usd: '2.00' });
    const lost = withKey(stage, await signPayment(stage, stage.owner));
    await dieAt('spending.after_reserve', (url) => hireWith(url, stage.serviceId, lost));
    await advanceClock(stage.urls[0], 10 * 60);
    await until('the payment being counted', async () =>
      (await countSpendings({ ...stage, agent: first }))['kept'] === 1 ? true : undefined,
    );
    assert.deepEqual(await countSpendings(stage), { reserved: 1 }, 'it may still be paid');
    await advanceClock(stage.urls[0], 60 * 60);
    await until('the room being given back', async () => ((await countSpendings(stage))['released'] === 1 ? true : undefined));
    assert.equal(await spent(), '0.00');
    await requireSound(stage.money);
  });
});
