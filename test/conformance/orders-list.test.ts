import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { call } from '../harness/http.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { setOrderStatus } from '../harness/order-states.ts';
import { listService, openProvider, placeOrder } from '../harness/orders.ts';
import { asHeaders, baseWallet, signed } from '../harness/people.ts';

let market: TestMarket;
before(async () => {
  market = await openMarket();
});
after(() => market?.close());

test('needs_me=true and needs_me=false split the order list into two complementary parts', async () => {
  const { url } = market;
  const provider = await openProvider(url);
  const buyer = baseWallet();
  const service = await listService(url, provider);
  const [quoted, paid, done] = [
    await placeOrder(url, service, buyer),
    await placeOrder(url, service, buyer),
    await placeOrder(url, service, buyer),
  ];
  await setOrderStatus(market, [paid], 'paid');
  await setOrderStatus(market, [done], 'completed');
  const list = async (headers: Record<string, string>, query: string): Promise<string[]> => {
    const reply = await call(url, `GET /api/orders?${query}`, { headers });
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    assert.equal(reply.body['total'], reply.body['data'].length);
    return reply.body['data'].map((order: { id: string }) => order.id).toSorted();
  };
  const asBuyer = asHeaders(await signed(buyer));
  assert.deepEqual(await list(asBuyer, 'needs_me=true'), [quoted]);
  assert.deepEqual(await list(asBuyer, 'needs_me=false'), [paid, done].toSorted());
  assert.deepEqual(await list(asBuyer, ''), [quoted, paid, done].toSorted());
  assert.deepEqual(await list(provider.headers, 'needs_me=true'), [paid]);
  assert.deepEqual(await list(provider.headers, 'needs_me=false'), [quoted, done].toSorted());
});

test('agent filters by the agent that works on the order, and only within the caller’s orders', async () => {
  const { url } = market;
  const owner = baseWallet();
  const [first, second] = [await openProvider(url, 'base-mainnet', owner), await openProvider(url, 'base-mainnet', owner)];
  const buyer = baseWallet();
  const ofFirst = await placeOrder(url, await listService(url, first), buyer);
  const ofSecond = await placeOrder(url, await listService(url, second), buyer);
  const list = async (headers: Record<string, string>, agent: string): Promise<string[]> => {
    const reply = await call(url, `GET /api/orders?agent=${agent}`, { headers });
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    return reply.body['data'].map((order: { id: string }) => order.id);
  };
  const asOwner = asHeaders(await signed(owner));
  assert.deepEqual(await list(asOwner, first.slug), [ofFirst]);
  assert.deepEqual(await list(asOwner, second.id), [ofSecond]);
  assert.deepEqual(await list(asOwner, 'nobody-here'), []);
  assert.deepEqual(await list(asHeaders(await signed(baseWallet())), first.slug), []);
});
