/** Story: an order ends without a result, and the whole price is refunded to the paying wallet. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type NetworkName, networkFacts } from '@market/contract';
import { payWith } from '../harness/hostile-payers.ts';
import { call } from '../harness/http.ts';
import { openMarket, type TestMarket, withOwnChains } from '../harness/market.ts';
import {
  act,
  advanceClock,
  type Buyer,
  deliver,
  listService,
  openBuyer,
  openProvider,
  type Provider,
  payOrder,
  placeOrder,
  readOrder,
  requireSoundBooks,
  untilStatus,
  untilTransferred,
  usdcOn,
} from '../harness/orders.ts';
import { createPayer } from '../harness/payers.ts';
import { asHeaders, signed, tokenFor } from '../harness/people.ts';
import { some } from '../harness/thoroughness.ts';

const HOUR = 3600;
const networks = some<NetworkName>(['solana-mainnet', 'base-mainnet'], 1);
const ALL_OF_IT = '25.00';

describe('an order that ends without a result', () => {
  let market: TestMarket;
  before(async () => {
    market = await openMarket(withOwnChains);
  });
  after(() => market.close());

  async function meet(
    network: NetworkName,
    terms: Record<string, unknown> = {},
  ): Promise<{ provider: Provider; buyer: Buyer; order: string }> {
    const { url } = market;
    const [provider, buyer] = await Promise.all([openProvider(url, network), openBuyer(market, network, 25_000_000n)]);
    return { provider, buyer, order: await placeOrder(url, await listService(url, provider, terms), buyer) };
  }

  async function requireRefunded(network: NetworkName, order: string, buyer: Buyer): Promise<void> {
    const { url } = market;
    const money = await untilTransferred(url, order, buyer, 'refund');
    assert.deepEqual(
      [money.state, money.refunded_usd, money.released_usd, money.held_usd, money.payout],
      ['refunded', '10.00', '0.00', '0.00', null],
    );
    assert.deepEqual([money.refund.destination, money.refund.amount_usd], [buyer.address, '10.00']);
    assert.equal(await usdcOn(url, network, buyer.address), ALL_OF_IT);
    const { order: record } = await readOrder(url, order, buyer);
    assert.deepEqual([record.status, record.payout_tx_hash], ['cancelled', money.refund.tx_hash]);
  }

  for (const network of networks) {
    test(`M22: an order cancelled by the buyer before work began, on ${network}, is refunded in full on chain`, async () => {
      const { buyer, order, provider } = await meet(network);
      await payOrder(market.url, order, buyer);
      const cancelled = await act(market.url, order, buyer, 'cancel', { reason: 'Changed my mind.' });
      assert.equal(cancelled.body['data'].status, 'cancelled', JSON.stringify(cancelled.body));
      await requireRefunded(network, order, buyer);
      assert.equal((await deliver(market.url, order, provider)).body['code'], 'illegal_transition');
    });

    test(`M14: an order paid through a relayer on ${network} is refunded to the payer, not to the relayer`, async () => {
      const { buyer, order } = await meet(network);
      const sponsor = await createPayer(market, network, 1_000_000n);
      const to = sponsor.chain.treasury;
      const reference = await payWith(buyer.payer, { how: 'sponsored', to, micros: 10_000_000n, sponsor });
      const told = { escrow_tx_hash: reference, payment_chain: networkFacts[network].chain };
      const paid = await act(market.url, order, buyer, 'pay', told);
      assert.equal(paid.body['data'].payer_address, buyer.address, JSON.stringify(paid.body));
      assert.equal((await act(market.url, order, buyer, 'cancel')).status, 200);
      await requireRefunded(network, order, buyer);
      assert.equal(await usdcOn(market.url, network, sponsor.address), '1.00');
    });

    test(`a refund by the provider during a dispute, on ${network}, arrives and ends the dispute`, async () => {
      const { buyer, order, provider } = await meet(network);
      await payOrder(market.url, order, buyer);
      assert.equal((await deliver(market.url, order, provider)).status, 200);
      assert.equal((await act(market.url, order, buyer, 'dispute', { reason: 'Half of it is missing.' })).status, 200);
      const body = { action: 'refund', reason: 'You are right.' };
      assert.equal((await call(market.url, `PATCH /api/orders/${order}`, { headers: provider.headers, body })).status, 200);
      await requireRefunded(network, order, buyer);
      assert.equal((await readOrder(market.url, order, buyer)).dispute.state, 'refunded');
    });
  }

  test('after work began the buyer cannot cancel an order alone, but the provider can still refund', async () => {
    const { url } = market;
    const { buyer, order, provider } = await meet('base-mainnet');
    await payOrder(url, order, buyer);
    assert.equal((await call(url, `POST /api/orders/${order}/start`, { headers: provider.headers, body: {} })).status, 200);
    assert.equal((await act(url, order, buyer, 'cancel')).body['code'], 'illegal_transition');
    assert.equal((await act(url, order, provider.owner, 'refund')).status, 200);
    await requireRefunded('base-mainnet', order, buyer);
  });

  test('an administrator cancels a paid order, and an unpaid order is not refunded', async () => {
    const { url } = market;
    const key = await tokenFor(url, { email: 'ops@example.com', admin: true });
    const { buyer, order } = await meet('base-mainnet');
    await payOrder(url, order, buyer);
    assert.equal((await call(url, `PATCH /api/orders/${order}`, { key, body: { action: 'cancel' } })).status, 200);
    await requireRefunded('base-mainnet', order, buyer);

    const unpaid = await meet('base-mainnet');
    assert.equal((await act(url, unpaid.order, unpaid.buyer, 'cancel')).status, 200);
    const { money } = await readOrder(url, unpaid.order, unpaid.buyer);
    assert.deepEqual([money.state, money.refund], ['not_paid', null]);
  });

  test('an order not delivered in time warns both sides at the promised time, and is refunded a day later', async () => {
    const { url } = market;
    const hires = await Promise.all(
      networks.map(async (network) => {
        const hire = await meet(network, { turnaround_hours: 2 });
        await payOrder(url, hire.order, hire.buyer);
        return { network, ...hire };
      }),
    );
    await advanceClock(url, 2 * HOUR);
    for (const { order, buyer, provider } of hires) {
      await untilHandled(order, 'order.deadline_near');
      await untilNotified(order, asHeaders(await signed(buyer)));
      await untilNotified(order, provider.headers);
      assert.deepEqual((await readOrder(url, order, buyer)).order.status, 'paid');
    }
    await advanceClock(url, 24 * HOUR);
    for (const { network, order, buyer } of hires) {
      await untilStatus(url, order, buyer, 'cancelled');
      await untilHandled(order, 'order.cancelled');
      const { timeline } = await readOrder(url, order, buyer);
      assert.deepEqual([timeline.at(-1).action, timeline.at(-1).by], ['expire', 'system']);
      await requireRefunded(network, order, buyer);
    }
  });

  test('the books are sound after cancelled orders', async () => {
    await requireSoundBooks(market);
  });

  async function untilHandled(order: string, type: string): Promise<void> {
    for (let look = 0; look < 200; look++) {
      const told = await market.database.pool.query('select 1 from events where subject_id = $1 and type = $2', [order, type]);
      if (told.rowCount === 1) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    assert.fail(`${type} of ${order} was not told`);
  }

  /** Waits for the warning in the notifications. */
  async function untilNotified(order: string, headers: Record<string, string>): Promise<void> {
    for (let look = 0; look < 200; look++) {
      const { body } = await call(market.url, 'GET /api/notifications?limit=50', { headers });
      if (body['data'].some((item: { order_id: string; type: string }) => item.order_id === order && item.type.includes('deadline')))
        return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    assert.fail(`nobody was warned of ${order}`);
  }
});
