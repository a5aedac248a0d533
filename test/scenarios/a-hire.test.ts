/** Story: a fixed price on every network, from the listing to the payout, by approval and by automatic release. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { NetworkName } from '@market/contract';
import { openMarket, type TestMarket, withOwnChains } from '../harness/market.ts';
import {
  act,
  advanceClock,
  deliver,
  listService,
  openBuyer,
  openProvider,
  payOrder,
  placeOrder,
  readOrder,
  requireSoundBooks,
  untilStatus,
  untilTransferred,
  usdcOn,
} from '../harness/orders.ts';
import { some } from '../harness/thoroughness.ts';

const networks = some<NetworkName>(['base-mainnet', 'solana-mainnet', 'alt-mainnet'], 1);

describe('a hire, from the listing to the payout', () => {
  let market: TestMarket;
  before(async () => {
    market = await openMarket(withOwnChains);
  });
  after(async () => {
    await market.close();
  });

  for (const network of networks) {
    test(`M25: a hire at a fixed price on ${network} is paid, delivered, revised, approved and paid out 90 to 10`, async () => {
      const { url } = market;
      const provider = await openProvider(url, network);
      const buyer = await openBuyer(market, network, 25_000_000n);
      const order = await placeOrder(url, await listService(url, provider), buyer);
      const reference = await payOrder(url, order, buyer);
      assert.equal(await usdcOn(url, network, buyer.address), '15.00');
      assert.equal((await readOrder(url, order, buyer)).money.held_usd, '10.00');

      assert.equal((await deliver(url, order, provider)).status, 200);
      assert.equal((await act(url, order, buyer, 'revision', { feedback: 'The last page is missing.' })).status, 200);
      assert.equal((await deliver(url, order, provider, { deliverable_url: 'https://example.com/second' })).status, 200);
      const approved = await act(url, order, buyer, 'approve');
      assert.equal(approved.status, 200, JSON.stringify(approved.body));
      assert.equal(approved.body['data'].status, 'completed');

      const money = await untilTransferred(url, order, buyer, 'payout');
      assert.deepEqual([money.released_usd, money.held_usd, money.refunded_usd, money.fee_usd], ['9.00', '0.00', '0.00', '1.00']);
      assert.deepEqual([money.payout.destination, money.payout.network], [provider.owner.address, network]);
      assert.equal(await usdcOn(url, network, provider.owner.address), '9.00');

      const view = await readOrder(url, order, buyer);
      assert.deepEqual([view.order.escrow_tx_hash, view.order.payout_tx_hash], [reference, money.payout.tx_hash]);
      assert.deepEqual(
        view.timeline.map(({ action }: { action: string }) => action),
        ['place', 'pay', 'deliver', 'revision', 'deliver', 'approve'],
      );
      assert.deepEqual(
        view.deliverables.map((item: { round: number; status: string }) => [item.round, item.status]),
        [
          [2, 'completed'],
          [1, 'superseded'],
        ],
      );
    });
  }

  test('without a review the payment of a hire is released 48 hours after the delivery', async () => {
    const { url } = market;
    const provider = await openProvider(url);
    const buyer = await openBuyer(market, 'base-mainnet');
    const order = await placeOrder(url, await listService(url, provider), buyer);
    await payOrder(url, order, buyer);
    assert.equal((await deliver(url, order, provider)).status, 200);
    await advanceClock(url, 48 * 3600);
    await untilStatus(url, order, buyer, 'completed');
    await untilTransferred(url, order, buyer, 'payout');
    assert.equal(await usdcOn(url, 'base-mainnet', provider.owner.address), '9.00');
  });

  test('the books are sound after the hires', async () => {
    await requireSoundBooks(market);
  });
});
