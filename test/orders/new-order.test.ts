/** The answer to a new order is built without reading it back: it must equal a later read. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { readSides } from '../../packages/server/src/features/orders/lifecycle/sides-repository.ts';
import { findOrder } from '../../packages/server/src/features/orders/repository.ts';
import { acceptClaim, claimBounty, postBounty } from '../harness/bounties.ts';
import { call } from '../harness/http.ts';
import { hireWith, requireHired, transferProof } from '../harness/machine-buyers.ts';
import { openMarket, type TestMarket, withChains } from '../harness/market.ts';
import { BRIEF, listService, openBuyer, openProvider, type Provider } from '../harness/orders.ts';
import { asHeaders, baseWallet, signed, tokenFor } from '../harness/people.ts';

let market: TestMarket;
let provider: Provider;
let customer: Provider;

before(async () => {
  market = await openMarket(withChains);
  [provider, customer] = await Promise.all([openProvider(market.url), openProvider(market.url)]);
});
after(() => market.close());

const FIELDS = [{ label: 'Tone', type: 'text', required: true }];

async function placed(serviceId: string, buyer: Pick<Provider, 'headers'>, more: Record<string, unknown> = {}) {
  const reply = await call(market.url, 'POST /api/orders', {
    body: { service_id: serviceId, brief: BRIEF, ...more },
    headers: buyer.headers,
  });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return reply.body['data'];
}

async function stored(id: string, buyer: Pick<Provider, 'headers'>) {
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
  test(`the answer to an order ${name} equals a later read`, async () => {
    const id = await listService(market.url, provider, { ...service, title: `Proofreading ${name}` });
    const answer = await placed(id, customer, order);
    assert.deepEqual(answer, await stored(answer.order_id, customer));
  });

test('an order from one’s own agent or a sibling is marked as related, others are not', async () => {
  const owner = baseWallet();
  const [one, sibling] = [await openProvider(market.url, 'base-mainnet', owner), await openProvider(market.url, 'base-mainnet', owner)];
  const id = await listService(market.url, one, { title: 'Proofreading among ourselves' });
  const marks = await Promise.all([one, sibling, customer].map(async (buyer) => (await placed(id, buyer)).related_party));
  assert.deepEqual(marks, [1, 1, 0]);
});

test('the answer to an order of a person with a name equals a later read', async () => {
  const id = await listService(market.url, provider, { title: 'Proofreading for people' });
  const token = await tokenFor(market.url, { email: 'noor@example.com' });
  const person = { headers: { authorization: `Bearer ${token}` } };
  const named = await call(market.url, 'PUT /api/profile', { headers: person.headers, body: { display_name: 'Noor of Utrecht' } });
  assert.equal(named.status, 200, JSON.stringify(named.body));
  const answer = await placed(id, person);
  assert.deepEqual(answer, await stored(answer.order_id, person));
});

/** Requires that `readSides`, which the event of a new order uses, agrees with `findOrder`, which later events use. */
async function requireSameSides(orderId: string): Promise<void> {
  const { db } = market.database;
  const order = await findOrder(db, orderId);
  assert.ok(order);
  const sides = await readSides(db, order, sql<boolean>`${order.relatedParty}::boolean`);
  assert.deepEqual(sides, Object.fromEntries(Object.keys(sides).map((field) => [field, order[field as keyof typeof order]])));
}

test('the sides of a new order by a machine, a bounty or a wallet are those of a later read', async () => {
  const { url, chains } = market;
  const buyer = await openBuyer(market, 'base-mainnet');
  const named = await call(url, 'PUT /api/profile', { body: { display_name: 'Ada', ...(await signed(buyer)) } });
  assert.equal(named.status, 200, JSON.stringify(named.body));
  const serviceId = await listService(url, provider, { title: 'Proofreading for machines' });

  const treasury = chains.get('base-mainnet')?.treasury;
  assert.ok(treasury !== undefined);
  const reference = await buyer.payer.pay(treasury, 11_000_000n);
  const hired = await requireHired(
    hireWith(url, serviceId, { ...transferProof('base-mainnet', reference), ...asHeaders(await signed(buyer)) }),
  );
  await requireSameSides(hired.orderId);

  const bounty = await postBounty(url, buyer);
  const claim = await claimBounty(url, bounty.id, customer);
  await requireSameSides(await acceptClaim(market, bounty.id, claim, buyer));

  const own = await call(url, 'POST /api/orders', { body: { service_id: serviceId, brief: BRIEF, ...(await signed(buyer)) } });
  await requireSameSides(own.body['data'].order_id);
});
