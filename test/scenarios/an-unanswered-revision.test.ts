/** Story: the provider does not answer a revision; the system opens a dispute, the buyer withdraws it, and the payment is released automatically. */
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

const HOUR = 3600;
const DAY = 24 * HOUR;
const networks = some<NetworkName>(['base-mainnet', 'solana-mainnet'], 1);

describe('an unanswered revision', () => {
  let market: TestMarket;
  before(async () => {
    market = await openMarket(withOwnChains);
  });
  after(() => market.close());

  test('a revision unanswered for 7 days becomes a dispute; withdrawn, the order is delivered again with a day for review, then released', async () => {
    const { url } = market;
    const hires = await Promise.all(
      networks.map(async (network) => {
        const [provider, buyer] = await Promise.all([openProvider(url, network), openBuyer(market, network)]);
        const order = await placeOrder(url, await listService(url, provider), buyer);
        await payOrder(url, order, buyer);
        assert.equal((await deliver(url, order, provider)).status, 200);
        assert.equal((await act(url, order, buyer, 'revision', { feedback: 'The last page is missing.' })).status, 200);
        return { network, provider, buyer, order };
      }),
    );
    await advanceClock(url, 7 * DAY);
    for (const { order, buyer, provider } of hires) {
      await untilStatus(url, order, buyer, 'disputed');
      const { dispute, timeline, money } = await readOrder(url, order, buyer);
      assert.deepEqual([dispute.opened_by, dispute.state, money.held_usd], ['system', 'open', '10.00']);
      assert.deepEqual([timeline.at(-1).action, timeline.at(-1).by], ['escalate', 'system']);
      assert.equal((await deliver(url, order, provider)).body['code'], 'illegal_transition', 'too late is too late');

      const withdrawn = await act(url, order, buyer, 'withdraw_dispute');
      assert.equal(withdrawn.body['data'].status, 'delivered', JSON.stringify(withdrawn.body));
      const again = await readOrder(url, order, buyer);
      assert.equal(again.dispute.state, 'withdrawn');
      assert.deepEqual(again.clock.action, 'auto_release');
      assert.equal(again.order.revision_deadline, null, 'nothing waits for the provider any more');
    }
    await advanceClock(url, DAY);
    for (const { network, order, buyer, provider } of hires) {
      await untilStatus(url, order, buyer, 'completed');
      await untilTransferred(url, order, buyer, 'payout');
      assert.equal(await usdcOn(url, network, provider.owner.address), '9.00');
    }
  });

  test('an unanswered revision in dispute is not released automatically', async () => {
    const { url } = market;
    const [provider, buyer] = await Promise.all([openProvider(url), openBuyer(market, 'base-mainnet')]);
    const order = await placeOrder(url, await listService(url, provider), buyer);
    await payOrder(url, order, buyer);
    assert.equal((await deliver(url, order, provider)).status, 200);
    assert.equal((await act(url, order, buyer, 'dispute')).status, 200);
    const other = await placeOrder(url, await listService(url, provider), buyer);
    await payOrder(url, other, buyer);
    assert.equal((await deliver(url, other, provider)).status, 200);
    await advanceClock(url, 48 * HOUR);
    // Another order was due at the same time: once it is released, the timers have run.
    await untilStatus(url, other, buyer, 'completed');
    const view = await readOrder(url, order, buyer);
    assert.deepEqual([view.order.status, view.clock, view.money.held_usd], ['disputed', null, '10.00']);
  });

  test('the books are sound after unanswered revisions', async () => {
    await requireSoundBooks(market);
  });
});
