/**
 * After an edit the old price is honoured for ten minutes, for the old terms. Services are public, so anybody can see an edit that sells
 * more work for more money, and still pay the old price.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { expectCall } from '../../harness/http.ts';
import { hireWith, openMachineBuyer, readOffer, versionTwo } from '../../harness/machine-buyers.ts';
import { openMarket, type TestMarket, withChains } from '../../harness/market.ts';
import { listService, openProvider } from '../../harness/orders.ts';

const NETWORK = 'base-mainnet';
const OLD = { price_usd: '1.00', quota_limit: 1 };
const NEW = { price_usd: '100.00', quota_limit: 1000 };

let market: TestMarket;
before(async () => {
  market = await openMarket(withChains);
});
after(() => market.close());

async function quotaOf(orderId: string): Promise<number> {
  const { rows } = await market.database.pool.query<{ quota_total: number }>('select quota_total from orders where id = $1', [orderId]);
  return rows[0]?.quota_total ?? 0;
}

test('M21: the price from before an edit buys the title from before it', async () => {
  const { url } = market;
  const provider = await openProvider(url);
  const service = await listService(url, provider, { title: 'One small icon', price_usd: '1.00' });
  const offer = await readOffer(market, url, service, NETWORK);
  const body = { title: 'Complete brand book of 80 pages', price_usd: '900.00' };
  await expectCall(url, 200, `PATCH /api/services/${service}`, { headers: provider.headers, body });
  const thief = await openMachineBuyer(market, NETWORK);
  const hired = await hireWith(url, service, versionTwo(offer, await thief.authorise(offer)), { brief: 'All 80 pages.' });
  assert.equal(hired.status, 200);
  const { rows } = await market.database.pool.query('select service_title from orders where id = $1', [hired.body['data'].order_id]);
  assert.equal(rows[0]?.service_title, 'One small icon');
});

for (const price_type of ['quote', 'weekly']) {
  test(`M21: the old price of a ${price_type} service, which no machine could pay, does not buy its later fixed-price work`, async () => {
    const { url } = market;
    const provider = await openProvider(url);
    const service = await listService(url, provider, { price_type, price_usd: '1.00' });
    const body = { price_type: 'fixed', price_usd: '500.00' };
    await expectCall(url, 200, `PATCH /api/services/${service}`, { headers: provider.headers, body });
    const offer = await readOffer(market, url, service, NETWORK);
    assert.equal(offer.amount, '550000000');
    const thief = await openMachineBuyer(market, NETWORK);
    const cheap = { ...offer, amount: '1100000' };
    const hired = await hireWith(url, service, versionTwo(cheap, await thief.authorise(cheap)), { brief: 'The 500 USD work.' });
    assert.equal(hired.status, 402, JSON.stringify(hired.body));
  });
}

test('V15, M21: the price from before an edit buys the terms from before it, no more and no less', async () => {
  const { url } = market;
  const provider = await openProvider(url);
  const service = await listService(url, provider, OLD);
  const offer = await readOffer(market, url, service, NETWORK);
  assert.equal(offer.amount, '1100000');

  await expectCall(url, 200, `PATCH /api/services/${service}`, { headers: provider.headers, body: NEW });
  // The thief saw the edit and signs a new authorisation over the old amount.
  const thief = await openMachineBuyer(market, NETWORK);
  const hired = await hireWith(url, service, versionTwo(offer, await thief.authorise(offer)), { brief: 'A thousand of them.' });
  // It cannot be told from a payer who saw the old price: both get the terms of that price.
  assert.equal(hired.status, 200);
  assert.equal(await quotaOf(hired.body['data'].order_id), OLD.quota_limit);
});
