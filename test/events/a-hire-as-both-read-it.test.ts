/** A whole hire in the event feeds of both sides, from the order to the payout. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type CallOptions, call, type Envelope } from '../harness/http.ts';
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
import { asHeaders, signed } from '../harness/people.ts';
import { opened, openStream } from './sse-client.ts';

let market: TestMarket;
let provider: Provider;
let buyer: Buyer;

before(async () => {
  market = await openMarket(withChains);
  provider = await openProvider(market.url);
  buyer = await openBuyer(market, 'base-mainnet');
});

after(() => market.close());

async function namesFor(who: CallOptions, order: string): Promise<string[]> {
  const reply = await call(market.url, `GET /api/events?order_id=${order}`, who);
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return reply.body['data'].map((event: Envelope) => event['event']);
}

test('both sides read every step in the same order; only the provider’s side reads the payout', async () => {
  const serviceId = await listService(market.url, provider);
  const order = await placeOrder(market.url, serviceId, buyer);
  const stream = await opened(await openStream(market.url, asHeaders(await signed(buyer)), `?order_id=${order}`));
  await payOrder(market.url, order, buyer);
  assert.equal((await deliver(market.url, order, provider)).status, 200);
  assert.equal((await act(market.url, order, buyer, 'approve')).status, 200);
  await untilTransferred(market.url, order, buyer, 'payout');

  const steps = ['order.created', 'order.paid', 'order.delivered', 'order.completed'];
  assert.deepEqual(await namesFor({ headers: asHeaders(await signed(buyer)) }, order), steps);
  assert.deepEqual(await namesFor(provider, order), [...steps, 'payout.confirmed']);
  assert.deepEqual(await namesFor({ headers: asHeaders(await signed(provider.owner)) }, order), [...steps, 'payout.confirmed']);
  const heard = await stream.has(3);
  assert.deepEqual(
    heard.map(({ event }) => event),
    steps.slice(1),
  );
  stream.close();
});
