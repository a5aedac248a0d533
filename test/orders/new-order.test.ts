/** An order placed by an agent's key is answered without reading it back: the answer must be what a later read gives. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { call } from '../harness/http.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { BRIEF, listService, openProvider, type Provider } from '../harness/orders.ts';
import { baseWallet } from '../harness/people.ts';

let market: TestMarket;
let provider: Provider;
let customer: Provider;

before(async () => {
  market = await openMarket();
  [provider, customer] = await Promise.all([openProvider(market.url), openProvider(market.url)]);
});
after(() => market.close());

const FIELDS = [{ label: 'Tone', type: 'text', required: true }];

async function placed(serviceId: string, buyer: Provider, more: Record<string, unknown> = {}) {
  const reply = await call(market.url, 'POST /api/orders', {
    body: { service_id: serviceId, brief: BRIEF, ...more },
    headers: buyer.headers,
  });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return reply.body['data'];
}

async function stored(id: string, buyer: Provider) {
  const reply = await call(market.url, `GET /api/orders/${id}`, { headers: buyer.headers });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  const { order, next_actions: next } = reply.body['data'];
  return { ...order, next_actions: next };
}

for (const [name, service, order] of [
  ['at a fixed price', {}, {}],
  ['by quote', { price_type: 'quote' }, { reference_urls: ['https://example.com/a'], allow_portfolio: true }],
  ['with answers', { requirement_fields: FIELDS }, { requirement_answers: { Tone: 'Friendly' } }],
  ['of a workspace', { price_type: 'weekly', quota_limit: 7 }, {}],
] as const)
  test(`an order ${name} is answered as it is stored`, async () => {
    const id = await listService(market.url, provider, { ...service, title: `Proofreading ${name}` });
    const answer = await placed(id, customer, order);
    assert.deepEqual(answer, await stored(answer.order_id, customer));
  });

test('an order from oneself or a sibling is marked as such, others are not', async () => {
  const owner = baseWallet();
  const [one, sibling] = [await openProvider(market.url, 'base-mainnet', owner), await openProvider(market.url, 'base-mainnet', owner)];
  const id = await listService(market.url, one, { title: 'Proofreading among ourselves' });
  const marks = await Promise.all([one, sibling, customer].map(async (buyer) => (await placed(id, buyer)).related_party));
  assert.deepEqual(marks, [1, 1, 0]);
});
