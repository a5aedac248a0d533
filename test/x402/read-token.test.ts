/** The read token is returned once, to a client that has not received it yet, however the first attempt ended. */
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, before, suite, test } from 'node:test';
import { hasEnded } from '../faults/crash-lab.ts';
import { pointsToDieAt, TOLD_POINT } from '../faults/crash-points.ts';
import { call } from '../harness/http.ts';

import {
  type Headers,
  hireUntilKnown,
  hireWith,
  MACHINE_BRIEF,
  type MachineBuyer,
  type MachineStage,
  openMachineBuyer,
  openMachineStage,
  requireHired,
  signPayment,
} from '../harness/machine-buyers.ts';
import { asHeaders, baseWallet, openSession, signed } from '../harness/people.ts';
import { isThorough, THOROUGH_ONLY } from '../harness/thoroughness.ts';
import { until } from '../money/money.ts';

suite('the read token', () => {
  let stage: MachineStage;
  let buyer: MachineBuyer;
  before(async () => {
    stage = await openMachineStage({}, { ownChains: isThorough });
    buyer = await openMachineBuyer(stage, 'base-mainnet');
  });
  after(() => stage.close());

  const hire = (url: string, headers: Headers) => requireHired(hireWith(url, stage.serviceId, headers));
  const toldAt = async (orderId: string): Promise<unknown> => {
    const { rows } = await stage.database.pool.query('select told_at from x402_purchases where subject_id = $1', [orderId]);
    assert.equal(rows.length, 1);
    return rows[0].told_at;
  };
  const untilHandled = (orderId: string) => until('the answer being noted', async () => (await toldAt(orderId)) ?? undefined);

  test('V02: the read token comes with the first answer only, and again with a signature of the paying wallet', async () => {
    const payment = await signPayment(stage, buyer);
    const first = await hire(stage.urls[0], payment);
    assert.match(first.token ?? '', /^order_/);
    assert.match(first.buyerToken ?? '', /^buyer_/);
    await untilHandled(first.orderId);
    const again = await hireWith(stage.urls[1], stage.serviceId, payment);
    assert.deepEqual([again.body['data'].read_token, again.body['data'].buyer_token], [null, null]);
    assert.match(again.body['data'].poll_hint, /signature of the wallet that paid/);
    assert.deepEqual(await hire(stage.urls[1], { ...payment, ...asHeaders(await signed(buyer)) }), first);
    const session = await openSession(stage.urls[0], buyer);
    const bySession = { ...payment, cookie: session, origin: stage.urls[0] };
    const shown = await hire(stage.urls[0], bySession);
    assert.deepEqual([shown.orderId, shown.token, shown.buyerToken], [first.orderId, null, null]);
    const read = await call(stage.urls[0], `GET /api/orders/${first.orderId}`, { headers: { cookie: session } });
    assert.equal(read.status, 200, JSON.stringify(read.body));
    assert.equal((await hire(stage.urls[1], { ...payment, ...asHeaders(await signed(baseWallet())) })).token, null);
  });

  test('the read token comes with the retry of an attempt whose outcome was unknown', { skip: !isThorough && THOROUGH_ONLY }, async () => {
    await stage.localChains.setFault({ network: 'base-mainnet', mode: 'drop_tx' });
    const payment = await signPayment(stage, buyer);
    assert.equal((await hireWith(stage.urls[0], stage.serviceId, payment)).status, 503);
    await stage.localChains.setFault({ network: 'base-mainnet', mode: 'none' });
    const known = await requireHired(hireUntilKnown(stage.urls[1], stage.serviceId, payment));
    assert.match(known.token ?? '', /^order_/);
  });

  test('the read token comes with the retry of a disconnected client', { skip: !isThorough && THOROUGH_ONLY }, async () => {
    await stage.localChains.setFault({ network: 'base-mainnet', mode: 'slow', seconds: 2 });
    const payment = await signPayment(stage, buyer);
    await hangUpOn(stage.urls[0], payment);
    await stage.localChains.setFault({ network: 'base-mainnet', mode: 'none' });
    const orderId = await until('the order', async () => {
      const { rows } = await stage.database.pool.query(`select subject_id, told_at from x402_purchases where told_at is null`);
      return rows[0]?.subject_id as string | undefined;
    });
    // Waits until work after the answer would be done.
    await new Promise((resolve) => setTimeout(resolve, 300));
    assert.equal(await toldAt(orderId), null);
    const heard = await hire(stage.urls[1], payment);
    assert.equal(heard.orderId, orderId);
    assert.match(heard.token ?? '', /^order_/);
    await untilHandled(orderId);
  });

  /** Sends a hire and disconnects while it is processed. */
  async function hangUpOn(url: string, payment: Headers): Promise<void> {
    const content = JSON.stringify({ brief: MACHINE_BRIEF });
    const sent = request(`${url}/api/x402/pay?service_id=${stage.serviceId}`, {
      method: 'POST',
      headers: { ...payment, 'content-type': 'application/json', 'content-length': Buffer.byteLength(content) },
    });
    sent.on('error', () => undefined);
    sent.end(content);
    await until('the claim', async () => {
      const { rows } = await stage.database.pool.query(`select 1 from x402_payments where state in ('settling', 'unknown')`);
      return rows.length > 0 ? true : undefined;
    });
    sent.destroy();
  }

  for (const point of pointsToDieAt(['x402.after_record', TOLD_POINT], [TOLD_POINT])) {
    test(`X03: the read token comes with the retry when the process crashed at ${point}`, async () => {
      const doomed = await stage.startServer({ CRASH_AT: point, JOBS: 'off' });
      const payment = await signPayment(stage, buyer);
      const first = await hireWith(doomed.url, stage.serviceId, payment).catch(() => undefined);
      // At the second crash point the answer was already sent, and may have arrived.
      if (point !== TOLD_POINT) assert.equal(first, undefined);
      await until('death', async () => (hasEnded(doomed) ? true : undefined));
      const again = await hire(stage.urls[0], payment);
      assert.match(again.token ?? '', /^order_/);
      await untilHandled(again.orderId);
      assert.equal((await hire(stage.urls[1], payment)).token, null);
    });
  }
});
