/** Story: a price is requested, quoted, accepted and paid to the last micro. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { call } from '../harness/http.ts';
import { openMarket, type TestMarket, withChains } from '../harness/market.ts';
import {
  act,
  deliver,
  listService,
  openBuyer,
  openProvider,
  type Provider,
  payOrder,
  placeOrder,
  readOrder,
  requireSoundBooks,
  untilTransferred,
  usdcOn,
} from '../harness/orders.ts';

const HOUR_MS = 3_600_000;

describe('a quote', () => {
  let market: TestMarket;
  before(async () => {
    market = await openMarket(withChains);
  });
  after(() => market.close());

  const quote = async (order: string, provider: Provider, body: Record<string, unknown>) =>
    await call(market.url, `POST /api/orders/${order}/quote`, { headers: provider.headers, body });

  for (const network of ['base-mainnet', 'solana-mainnet'] as const) {
    test(`M19: a quote on ${network} is requested, made, accepted, paid and paid out, with the odd micro-USDC rounded half up into the fee`, async () => {
      const { url } = market;
      const provider = await openProvider(url, network);
      const buyer = await openBuyer(market, network, 40_000_000n);
      const order = await placeOrder(url, await listService(url, provider, { price_type: 'quote', price_usd: '0' }), buyer);
      const asked = await readOrder(url, order, buyer);
      assert.deepEqual([asked.order.status, asked.order.quoted_price_usd, asked.payment_options], ['pending_quote', null, []]);

      const quoted = await quote(order, provider, { price_usd: '33.333335', note: 'Both chapters.', turnaround_hours: 5 });
      assert.equal(quoted.status, 200, JSON.stringify(quoted.body));
      assert.deepEqual([quoted.body['data'].status, quoted.body['data'].platform_fee_usd], ['quoted', '3.333334']);
      const accepted = await act(url, order, buyer, 'accept');
      assert.equal(accepted.body['data'].status, 'accepted');
      await payOrder(url, order, buyer);
      assert.equal(await usdcOn(url, network, buyer.address), '6.666665');
      const { order: paid, timeline } = await readOrder(url, order, buyer);
      assert.equal(Date.parse(`${paid.due_at}Z`) - Date.parse(`${paid.paid_at}Z`), 5 * HOUR_MS);
      assert.equal(timeline[1].note, '33.333335 USDC. Both chapters.');

      assert.equal((await deliver(url, order, provider)).status, 200);
      assert.equal((await act(url, order, buyer, 'approve')).status, 200);
      const money = await untilTransferred(url, order, buyer, 'payout');
      assert.deepEqual([money.paid_usd, money.released_usd, money.fee_usd], ['33.333335', '30.000001', '3.333334']);
      assert.equal(await usdcOn(url, network, provider.owner.address), '30.000001');
    });
  }

  test('M20: an invalid price of a quote is refused, and the order still waits for one', async () => {
    const { url } = market;
    const provider = await openProvider(url);
    const buyer = await openBuyer(market, 'base-mainnet');
    const order = await placeOrder(url, await listService(url, provider, { price_type: 'quote', price_usd: '0' }), buyer);
    for (const price of ['0', '0.00', '-5', '1e3', '1,50', '0x10', '0.0000001', '1000000.000001', ' 5', 'free', '']) {
      const reply = await quote(order, provider, { price_usd: price });
      assert.deepEqual([reply.status, reply.body['code']], [400, 'invalid_input'], price);
    }
    for (const price of [0, -5, 1e-7, 1e21, null, ['5'], true])
      assert.equal((await quote(order, provider, { price_usd: price })).status, 400);
    assert.equal((await readOrder(url, order, buyer)).order.status, 'pending_quote');
    assert.equal((await quote(order, provider, { price_usd: 1_000_000 })).body['data'].quoted_price_usd, '1000000.00');
  });

  test('a quote can be replaced while unpaid; a transfer for the old price pays only if it covers the new one', async () => {
    const { url } = market;
    const provider = await openProvider(url);
    const buyer = await openBuyer(market, 'base-mainnet');
    const service = await listService(url, provider, { price_type: 'quote', price_usd: '0' });
    const order = await placeOrder(url, service, buyer);
    assert.equal((await quote(order, provider, { price_usd: '2.00', note: 'Five pages.' })).status, 200);
    const raised = await quote(order, provider, { price_usd: 3, note: 'Seven pages.', turnaround_hours: 5 });
    assert.deepEqual([raised.status, raised.body['data'].status, raised.body['data'].quoted_price_usd], [200, 'quoted', '3.00']);
    const view = await readOrder(url, order, buyer);
    assert.deepEqual([view.money.price_usd, view.order.turnaround_hours], ['3.00', 5]);
    assert.equal(view.timeline.filter(({ action }: { action: string }) => action === 'quote').length, 2);
    const short = await buyer.payer.pay(view.payment_options[0].pay_to, 2_000_000n);
    const refused = await act(url, order, buyer, 'pay', { escrow_tx_hash: short });
    assert.equal(refused.body['code'], 'payment_underpaid', JSON.stringify(refused.body));
    assert.equal((await quote(order, provider, { price_usd: '2.00' })).status, 200);
    assert.equal((await act(url, order, buyer, 'pay', { escrow_tx_hash: short })).status, 200);
    assert.equal((await quote(order, provider, { price_usd: '2.50' })).body['code'], 'illegal_transition');
  });

  test('a quote can be paid without accepting it first, and declined until it is paid', async () => {
    const { url } = market;
    const provider = await openProvider(url);
    const buyer = await openBuyer(market, 'base-mainnet');
    const service = await listService(url, provider, { price_type: 'quote', price_usd: '0' });
    const [first, second] = [await placeOrder(url, service, buyer), await placeOrder(url, service, buyer)];
    for (const order of [first, second]) assert.equal((await quote(order, provider, { price_usd: '2.00' })).status, 200);
    await payOrder(url, first, buyer);
    assert.equal((await act(url, first, provider.owner, 'decline')).body['code'], 'illegal_transition');
    const declined = await act(url, second, provider.owner, 'decline', { reason: 'Fully booked.' });
    assert.equal(declined.body['data'].status, 'cancelled');
    const { money, timeline } = await readOrder(url, second, buyer);
    assert.deepEqual([money.state, money.refund, timeline.at(-1).note], ['not_paid', null, 'Fully booked.']);
  });

  test('the books are sound after quotes', async () => {
    await requireSoundBooks(market);
  });
});
