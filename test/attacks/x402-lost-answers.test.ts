/** An answer that was lost on its way to the buyer gives nobody else the right to act as the buyer. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { Hex } from 'viem';
import { hasEnded } from '../faults/crash-lab.ts';
import { payloadIn } from '../harness/copied-payments.ts';
import { call } from '../harness/http.ts';
import {
  type HiredByMachine,
  hireWith,
  type MachineBuyer,
  type MachineStage,
  openMachineBuyer,
  openMachineStage,
  readOffer,
  requireHired,
  signPayment,
  versionTwo,
} from '../harness/machine-buyers.ts';
import { asHeaders, signed } from '../harness/people.ts';
import { until } from '../money/money.ts';

const NETWORK = 'base-mainnet';
const ON_APPROVAL = { settlement: 'on_approval' };

suite('a hire whose answer was lost', () => {
  let stage: MachineStage;
  let buyer: MachineBuyer;
  before(async () => {
    stage = await openMachineStage({}, { processes: 1 });
    buyer = await openMachineBuyer(stage, NETWORK);
  });
  after(() => stage.close());

  /** The buyer's payment, and the request that ended with its process. */
  async function loseAnswer(point: string): Promise<Record<string, string>> {
    const doomed = await stage.startServer({ CRASH_AT: point, JOBS: 'off' });
    const payment = await signPayment(stage, buyer);
    await assert.rejects(hireWith(doomed.url, stage.serviceId, payment, ON_APPROVAL), TypeError);
    await until('death', async () => (hasEnded(doomed) ? true : undefined));
    return payment;
  }

  const hire = (headers: Record<string, string>): Promise<HiredByMachine> =>
    requireHired(hireWith(stage.urls[0], stage.serviceId, headers, ON_APPROVAL));

  /** All that the provider sees: its order, and the payment as its transaction carried it. */
  async function repeatAsProvider(): Promise<HiredByMachine> {
    const [order] = (await call(stage.urls[0], 'GET /api/orders?role=provider', { headers: stage.provider.headers })).body['data'];
    assert.ok(buyer.payer.kind === 'evm');
    const { input } = await buyer.payer.reader.getTransaction({ hash: order.escrow_tx_hash as Hex });
    const copy = versionTwo(await readOffer(stage, stage.urls[0], order.service_id, NETWORK), payloadIn(input));
    return await requireHired(hireWith(stage.urls[0], order.service_id, copy, { brief: order.brief, ...ON_APPROVAL }));
  }

  test('X03: the provider, who knows the request and the payment, gets no token that approves its own work', async () => {
    const payment = await loseAnswer('x402.after_record');
    const { orderId, buyerToken } = await repeatAsProvider();
    assert.equal(buyerToken, null);
    const own = await hire({ ...payment, ...asHeaders(await signed(buyer)) });
    assert.equal(own.orderId, orderId);
    assert.match(own.buyerToken ?? '', /^buyer_/);
  });

  test('X03: the buyer who repeats the payment reads the order by its token, and acts after a signature', async () => {
    const payment = await loseAnswer('x402.after_record');
    const again = await hire(payment);
    assert.match(again.token ?? '', /^order_/);
    assert.equal(again.buyerToken, null);
    assert.match((await hire({ ...payment, ...asHeaders(await signed(buyer)) })).buyerToken ?? '', /^buyer_/);
  });

  test('X03: the buyer whose repetition makes the order gets both tokens: nobody knew the request before', async () => {
    const payment = await loseAnswer('x402.after_remember');
    const made = await hire(payment);
    assert.match(made.token ?? '', /^order_/);
    assert.match(made.buyerToken ?? '', /^buyer_/);
  });
});
