import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type NetworkName, networkFacts } from '@market/contract';
import { call, type Reply } from '../harness/http.ts';
import { openMarket, type TestMarket, withChains } from '../harness/market.ts';
import { deliver, listService, openBuyer, openProvider, type Provider, requireSoundBooks } from '../harness/orders.ts';
import { asHeaders, signed } from '../harness/people.ts';
import { some } from '../harness/thoroughness.ts';
import { until } from '../money/money.ts';

const networks: readonly NetworkName[] = ['base-mainnet', 'solana-mainnet', 'alt-mainnet'];

describe('a hire paid with an earlier transfer', () => {
  let market: TestMarket;
  let provider: Provider;
  let service: string;
  before(async () => {
    market = await openMarket(withChains);
    provider = await openProvider(market.url);
    service = await listService(market.url, provider, { price_usd: '5.00' });
  });
  after(async () => {
    await market.close();
  });

  for (const network of some(networks, 1)) {
    test(`M25: on ${network}: the buyer pays 110%, the provider gets the list price, and the token reads the order`, async () => {
      const { url } = market;
      const buyer = await openBuyer(market, network);
      const asked = await call(url, `GET /api/x402/discover/${service}?chain=${networkFacts[network].chain}`);
      assert.equal(asked.status, 402, JSON.stringify(asked.body));
      const [offer] = asked.body['accepts'];
      assert.deepEqual([offer.network, offer.maxAmountRequired], [network, '5500000']);
      const reference = await buyer.payer.pay(offer.payTo, BigInt(offer.maxAmountRequired));
      const payment = { 'x-payment': reference, 'x-payment-network': network };

      const unbriefed = await call(url, `POST /api/x402/pay?service_id=${service}`, { headers: payment, body: {} });
      assert.deepEqual([unbriefed.status, unbriefed.body['code']], [400, 'brief_required']);
      const hire = { headers: { ...payment, ...asHeaders(await signed(buyer)) }, body: { brief: 'A logo for a bakery.' } };
      const hired = await call(url, `POST /api/x402/pay?service_id=${service}`, hire);
      assert.equal(hired.status, 200, JSON.stringify(hired.body));
      const { order_id: orderId, read_token: token, buyer_token: acting, x402 } = hired.body['data'];
      assert.deepEqual([hired.body['data'].status, x402.payer_wallet], ['paid', buyer.address]);

      const again = await call(url, `POST /api/x402/pay?service_id=${service}`, hire);
      assert.deepEqual([again.status, withoutPayout(again)], [200, withoutPayout(hired)]);
      const other = await call(url, `POST /api/x402/pay?service_id=${service}`, { headers: payment, body: { brief: 'Something else.' } });
      assert.deepEqual([other.status, other.body['code'], other.body['data'].order_id], [409, 'payment_for_other_request', orderId]);

      for (const headers of [{ authorization: `Bearer ${token}` }, asHeaders(await signed(buyer))]) {
        const read = await call(url, `GET /api/orders/${orderId}`, { headers });
        assert.deepEqual([read.status, read.body['data'].viewer_role, read.body['data'].order.client_type], [200, 'buyer', 'agent_x402']);
      }
      assert.equal((await deliver(url, orderId, provider)).status, 200);
      const approved = await call(url, `PATCH /api/orders/${orderId}`, {
        headers: { authorization: `Bearer ${acting}` },
        body: { action: 'approve' },
      });
      assert.deepEqual([approved.status, approved.body['data'].status], [200, 'completed'], JSON.stringify(approved.body));
      const paidOut = await until('the payout', async () => {
        const read = await call(url, `GET /api/orders/${orderId}`, { headers: { authorization: `Bearer ${token}` } });
        const { money } = read.body['data'];
        return money.payout?.tx_hash === null || money.payout === null ? undefined : money;
      });
      assert.deepEqual([paidOut.released_usd, paidOut.payout.amount_usd], ['5.00', '5.00']);
      const told = await until('the event', async () => await findEvent(market, orderId, 'order.payout_sent'));
      assert.deepEqual(told, {
        amount_usd: 5,
        chain: networkFacts[network].chain,
        tx_hash: paidOut.payout.tx_hash,
        destination: paidOut.payout.destination,
      });
    });
  }

  test('a hire with uploaded images is refused before the payment is used, with the alternative named', async () => {
    const { url } = market;
    const buyer = await openBuyer(market, 'base-mainnet');
    const reference = await buyer.payer.pay(buyer.payer.chain.treasury, 5_500_000n);
    const headers = { 'x-payment': reference, 'x-payment-network': 'base-mainnet', ...asHeaders(await signed(buyer)) };
    const order = { service_id: service, brief: 'A logo like this one.' };
    const images = [`${url}/api/files/upl_1700000000000_k3v9x1q7a`];
    const refused = await call(url, 'POST /api/orders', { headers, body: { ...order, reference_images: images } });
    assert.deepEqual([refused.status, refused.body['code']], [400, 'invalid_input']);
    assert.match(refused.body['error'], /reference_urls/);
    const hired = await call(url, 'POST /api/orders', { headers, body: { ...order, reference_urls: ['https://example.com/sketch.png'] } });
    assert.equal(hired.status, 200, JSON.stringify(hired.body));
  });

  test('a refused payment is explained in the body of every 402, beside the requirement', async () => {
    const headers = { 'x-payment': `0x${'ab'.repeat(32)}`, 'x-payment-network': 'base-mainnet' };
    const brief = 'A logo for a bakery, in two colours.';
    const agent = { name: 'Refused Rook', description: 'Registers with a transfer that nobody made.' };
    const routes = [
      ['POST', `/api/x402/pay?service_id=${service}`, { brief }],
      ['POST', '/api/orders', { service_id: service, brief }],
      ['POST', '/api/agents/register?pay=x402', agent],
      ['POST', `/api/x402/discover/${service}`, { brief }],
    ] as const;
    const answers = routes.map(async ([method, path, body]) => {
      const reply = await call(market.url, `${method} ${path as '/'}`, { headers, body });
      assert.deepEqual([reply.status, reply.body['code'], reply.body['reason']], [402, 'payment_rejected', 'payment_not_found'], path);
      assert.match(reply.body['error'], /^Payment verification failed: /, path);
      const requirement = reply.body['accepts']?.[0] ?? reply.body;
      assert.match(requirement.maxAmountRequired, /^\d+$/, path);
    });
    await Promise.all(answers);
  });

  test('the books are sound after hires by transfer', async () => {
    await requireSoundBooks(market);
  });
});

/** Leaves out the state of the provider's payout, which changes meanwhile. */
function withoutPayout({ body }: Reply): unknown {
  const { x402, ...rest } = body['data'];
  return { ...rest, x402: { ...x402, payout: null } };
}

async function findEvent({ database }: TestMarket, orderId: string, type: string): Promise<unknown> {
  const { rows } = await database.pool.query('select data from events where subject_id = $1 and type = $2', [orderId, type]);
  return rows[0]?.data;
}
