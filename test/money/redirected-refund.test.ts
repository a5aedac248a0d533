/** A refund that its payer cannot receive goes to the address that an operator names, and the books stay sound. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openAdmin } from '../harness/disputes.ts';
import { expectCall } from '../harness/http.ts';
import { openMarket, type TestMarket, withChains } from '../harness/market.ts';
import { act, listService, openBuyer, openProvider, payOrder, placeOrder, requireSoundBooks, untilTransferred } from '../harness/orders.ts';
import { freshAddress } from '../harness/payers.ts';
import { until } from './money.ts';

let market: TestMarket;
before(async () => {
  market = await openMarket(withChains);
});
after(() => market.close());

test('M28, B07: a parked refund that an operator sends to another address leaves the audit clean', async () => {
  const { url, database } = market;
  const provider = await openProvider(url);
  const buyer = await openBuyer(market, 'base-mainnet');
  const order = await placeOrder(url, await listService(url, provider), buyer);
  await payOrder(url, order, buyer);
  // Closes outflow, so that the refund stays queued and can be parked.
  await database.pool.query(`update outflow_gate set reason = 'a test'`);
  assert.equal((await act(url, order, buyer, 'cancel')).status, 200);
  const id = await until('the refund is parked', async () => {
    const { rows } = await database.pool.query<{ id: string }>(
      `update payouts set state = 'parked' where subject_id = $1 and purpose = 'refund' and state = 'queued' returning id`,
      [order],
    );
    return rows[0]?.id;
  });
  await database.pool.query(`update outflow_gate set reason = null`);
  const destination = freshAddress('base-mainnet');
  const key = await openAdmin(url);
  await expectCall(url, 200, `POST /api/admin/payouts/${id}/retry`, { key, body: { destination } });
  await untilTransferred(url, order, buyer, 'refund');
  await requireSoundBooks(market);
});
