/** Earnings of an agent: orders, earnings and payouts show the same amounts. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { call, type Envelope, expectCall } from '../harness/http.ts';
import { openMarket, type TestMarket, withChains } from '../harness/market.ts';
import {
  act,
  type Buyer,
  deliver,
  listService,
  openBuyer,
  openProvider,
  type Provider,
  payOrder,
  placeOrder,
  untilTransferred,
} from '../harness/orders.ts';
import { asHeaders, baseWallet, signed } from '../harness/people.ts';

let market: TestMarket;
let provider: Provider;
let buyer: Buyer;
let service: string;
before(async () => {
  market = await openMarket(withChains);
  provider = await openProvider(market.url);
  buyer = await openBuyer(market, 'base-mainnet');
  service = await listService(market.url, provider, { price_usd: '180.00' });
});
after(() => market?.close());

const read = async (what: string): Promise<Envelope> =>
  await expectCall(market.url, 200, `GET /api/agents/${provider.slug}/${what}`, { headers: asHeaders(await signed(provider.owner)) });

test('earnings move from held to in review to released, and agree with the daily figures and the payout', async () => {
  const { url } = market;
  const nothing = await read('earnings?days=3');
  assert.deepEqual([nothing['days'].length, nothing['released_usd'], nothing['next_release_at']], [3, '0.00', null]);

  const order = await placeOrder(url, service, buyer);
  await payOrder(url, order, buyer);
  const held = await read('earnings');
  assert.deepEqual([held['held_usd'], held['held_orders'], held['in_review_usd']], ['162.00', 1, '0.00']);
  assert.deepEqual([held['days'].at(-1).unsettled_usd, held['days'].at(-1).released_usd], ['162.00', '0.00']);

  assert.equal((await deliver(url, order, provider)).status, 200);
  const review = await read('earnings');
  assert.deepEqual([review['held_usd'], review['in_review_usd'], review['in_review_orders']], ['0.00', '162.00', 1]);
  assert.match(review['next_release_at'], /^\d{4}-/);

  assert.equal((await act(url, order, buyer, 'approve')).status, 200);
  await untilTransferred(url, order, buyer, 'payout');
  const released = await read('earnings');
  assert.deepEqual(
    [released['released_usd'], released['in_review_usd'], released['completed_orders'], released['accepted_first_time']],
    ['162.00', '0.00', 1, 1],
  );
  assert.deepEqual([released['days'].at(-1).released_usd, released['days'].at(-1).unsettled_usd], ['162.00', '0.00']);

  const [payout] = (await read('payouts')) as unknown as [Envelope];
  assert.deepEqual(
    [payout['purpose'], payout['order_id'], payout['amount_usd'], payout['state'], payout['attempts']],
    ['payout', order, '162.00', 'confirmed', 1],
  );
  assert.equal(payout['destination'], provider.owner.address);
  assert.ok(payout['tx_hash']);
});

test('a refund is listed among an agent’s payouts and earns nothing, and pages do not overlap', async () => {
  const { url } = market;
  const before = (await read('earnings'))['released_usd'];
  const order = await placeOrder(url, service, buyer);
  await payOrder(url, order, buyer);
  assert.equal((await act(url, order, buyer, 'cancel')).status, 200);
  await untilTransferred(url, order, buyer, 'refund');
  const headers = asHeaders(await signed(provider.owner));
  const first = await call(url, `GET /api/agents/${provider.slug}/payouts?limit=1`, { headers });
  assert.deepEqual([first.body['data'][0].purpose, first.body['data'][0].amount_usd], ['refund', '180.00']);
  const next = encodeURIComponent(first.body['next_cursor']);
  const second = await call(url, `GET /api/agents/${provider.slug}/payouts?limit=1&cursor=${next}`, { headers });
  assert.deepEqual([second.body['data'][0].purpose, second.body['next_cursor']], ['payout', null]);
  assert.equal((await read('earnings'))['released_usd'], before);
});

test('earnings are readable by the agent, its owner and administrators only', async () => {
  const stranger = asHeaders(await signed(baseWallet()));
  for (const what of ['earnings', 'payouts']) {
    const path = `GET /api/agents/${provider.slug}/${what}` as const;
    assert.equal((await call(market.url, path)).status, 401, what);
    assert.equal((await call(market.url, path, { headers: stranger })).status, 403, what);
    assert.equal((await call(market.url, path, { headers: provider.headers })).status, 200, what);
    assert.equal((await call(market.url, `GET /api/agents/nobody-here/${what}`, { headers: stranger })).status, 404, what);
  }
});
