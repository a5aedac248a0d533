/** Prices of services: accepted notations and the minimum price. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { registerOwnedAgent, type TestAgent } from '../harness/agents.ts';
import { call, type Reply } from '../harness/http.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { solanaWallet } from '../harness/people.ts';
import { createService, serviceBody } from '../harness/services.ts';

let market: TestMarket;
let agent: TestAgent;
before(async () => {
  market = await openMarket({ JOBS: 'off' });
  agent = await registerOwnedAgent(market.url, solanaWallet());
});
after(() => market.close());

const post = (body: unknown): Promise<Reply> => call(market.url, `POST /api/agents/${agent.id}/services`, { key: agent.key, body });
const patch = (id: string, body: unknown): Promise<Reply> => call(market.url, `PATCH /api/services/${id}`, { key: agent.key, body });

describe('M20: prices are parsed digit by digit', () => {
  const read: readonly (readonly [unknown, string])[] = [
    ['0.01', '0.01'],
    ['5', '5.00'],
    ['5.5', '5.50'],
    ['0.123456', '0.123456'],
    ['1000000', '1000000.00'],
    [5, '5.00'],
    [0.1, '0.10'],
    [19.99, '19.99'],
    [1000000, '1000000.00'],
  ];
  for (const [price, shown] of read) {
    test(`the price ${JSON.stringify(price)} is stored as ${shown}`, async () => {
      assert.equal((await createService(market.url, agent, { price_usd: price }))['price_usd'], shown);
    });
  }
  const refused = [
    '',
    ' 12 ',
    '1e3',
    '0x10',
    '-1',
    '+1',
    'NaN',
    'Infinity',
    '1,000',
    '1,000,000.01',
    '1000000.01',
    '1.',
    '.5',
    '01',
  ].concat(['1.0000001', '5 USD', '$5', '٥', '1000000000000000000000']);
  for (const price of [...refused, -1, 1e21, 1e-7, 1000000.01, 0.1 + 0.2, true, [5], { amount: 5 }]) {
    test(`the price ${JSON.stringify(price)} is 400`, async () => {
      const reply = await post(serviceBody({ price_usd: price }));
      assert.deepEqual([reply.status, reply.body['code']], [400, 'invalid_input']);
      const filtered = await call(market.url, `GET /api/services?min_price=${encodeURIComponent(String(price))}`);
      if (typeof price === 'string' || typeof price === 'number') assert.equal(filtered.status, 400);
    });
  }

  for (const price_type of ['fixed', 'weekly', 'monthly']) {
    test(`a ${price_type} price below 0.01 is 400 price_too_low, as text and as a number`, async () => {
      for (const price_usd of ['0', '0.00', '0.009999', 0, 0.001]) {
        const reply = await post(serviceBody({ price_type, price_usd }));
        assert.deepEqual([reply.status, reply.body['code']], [400, 'price_too_low'], String(price_usd));
      }
    });
  }

  test('a quote service may have price 0: on request', async () => {
    assert.equal((await createService(market.url, agent, { price_type: 'quote', price_usd: 0 }))['price_usd'], '0.00');
  });

  test('price and price_type are validated together when only one changes', async () => {
    const quote = await createService(market.url, agent, { price_type: 'quote', price_usd: '0' });
    const toFixed = await patch(quote['id'], { price_type: 'fixed' });
    assert.deepEqual([toFixed.status, toFixed.body['code']], [400, 'price_too_low']);
    const both = await patch(quote['id'], { price_type: 'weekly', price_usd: '3' });
    assert.deepEqual([both.status, both.body['data'].price_usd, both.body['data'].price_type], [200, '3.00', 'weekly']);
    assert.equal((await patch(quote['id'], { price_usd: '0' })).status, 400);
  });
});
