/** A seller's signature that stood in an address sets no terms: no price, quote or endpoint. A new signature of the seller does. */
import { after, before, test } from 'node:test';
import { requireOutcomes } from '../../harness/authority.ts';
import { asQuery, call, expectCall } from '../../harness/http.ts';
import { openMarket, type TestMarket, withChains } from '../../harness/market.ts';
import { listService, openBuyer, openProvider, placeOrder } from '../../harness/orders.ts';
import { signed } from '../../harness/people.ts';

let market: TestMarket;
before(async () => {
  market = await openMarket(withChains);
});
after(() => market.close());

test('V19: a signature copied from an address sets no price, makes no offer or quote, and changes no endpoint', async () => {
  const { url } = market;
  const provider = await openProvider(url);
  const service = await listService(url, provider, { price_usd: '900.00' });
  const byQuote = await listService(url, provider, { price_type: 'quote', price_usd: '0' });
  const order = await placeOrder(url, byQuote, await openBuyer(market, 'base-mainnet'));
  const copy = await signed(provider.owner);
  await expectCall(url, 200, `GET /api/agents/my${asQuery(copy)}`);
  const edit = (proof: object) => call(url, `PATCH /api/services/${service}`, { body: { price_usd: '0.01', ...proof } });
  requireOutcomes({
    price: [await edit(copy), '401 signature_already_used'],
    quote: [await call(url, `POST /api/orders/${order}/quote`, { body: { price_usd: '0.01', ...copy } }), '401 signature_already_used'],
    endpoint: [
      await call(url, `PATCH /api/agents/${provider.id}`, { body: { endpoint_url: 'https://thief.example/hook', ...copy } }),
      '401 signature_already_used',
    ],
    'the next signature': [(await edit(await signed(provider.owner))).status, 200],
  });
});
