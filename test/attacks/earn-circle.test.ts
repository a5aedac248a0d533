/** Depositing and withdrawing is free, like paying and being refunded. Doing both repeatedly must not stop the payouts of sellers. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { deposited, LEND, openSigner, withdraw } from '../earn/stage.ts';
import { openMarket, type TestMarket, withChains } from '../harness/market.ts';
import { act, deliver, listService, openBuyer, openProvider, payOrder, placeOrder, untilTransferred } from '../harness/orders.ts';
import { until } from '../money/money.ts';

let market: TestMarket;
before(async () => {
  market = await openMarket({ ...withChains, OUTFLOW_HOURLY_USD: '400', PAYOUT_CHANGE_DELAY_HOURS: '0' });
});
after(() => market.close());

test('K09: repeated deposits and withdrawals of Earn leave half of OUTFLOW_HOURLY_USD to sellers', async () => {
  const { url, database } = market;
  await deposited(market, await openSigner(market), 150);
  // New wallets that pass on the same money would do as well.
  for (let round = 0; round < 3; round += 1) {
    const mallory = await openSigner(market);
    await deposited(market, mallory, 120);
    const left = await withdraw(market, mallory, { all: true, key: LEND });
    assert.equal(left.status, 200, JSON.stringify(left.body));
  }
  await until(
    'each withdrawal has left or waits',
    async () => {
      const { rows } = await database.pool.query(
        `select 1 from payouts where purpose = 'earn_withdrawal' and (state = 'confirmed' or reason is not null)`,
      );
      return rows.length === 3 ? true : undefined;
    },
    60,
  );
  const provider = await openProvider(url);
  const buyer = await openBuyer(market, 'base-mainnet');
  const order = await placeOrder(url, await listService(url, provider, { price_usd: '100.00' }), buyer);
  await payOrder(url, order, buyer);
  assert.equal((await deliver(url, order, provider)).status, 200);
  assert.equal((await act(url, order, buyer, 'approve')).status, 200);
  await untilTransferred(url, order, buyer, 'payout');
});
