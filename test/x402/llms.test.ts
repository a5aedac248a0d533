import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { call } from '../harness/http.ts';
import { MACHINE_BRIEF, openMachineBuyer, readOffer, requireHired, versionTwo } from '../harness/machine-buyers.ts';
import { openMarket, type TestMarket, withChains } from '../harness/market.ts';
import { listService, openProvider } from '../harness/orders.ts';

let market: TestMarket;
let text: string;
before(async () => {
  market = await openMarket(withChains);
  const answer = await fetch(`${market.url}/llms.txt`);
  assert.deepEqual([answer.status, answer.headers.get('content-type')], [200, 'text/plain; charset=utf-8']);
  text = await answer.text();
});
after(async () => {
  await market.close();
});

/** Matches `GET https://…`, also without a method. */
const addresses = (): { method: string; url: string }[] =>
  [...text.matchAll(/(?:(GET|POST|PATCH) )?(https?:\/\/[^\s,;)]+[^\s,;).])/g)].map(([, method = 'GET', url = '']) => ({ method, url }));

test('every address in llms.txt is ours and answers as described', async () => {
  const serviceId = await listService(market.url, await openProvider(market.url), { price_usd: '1.00' });
  const buyer = await openMachineBuyer(market, 'base-mainnet');
  const offer = await readOffer(market, market.url, serviceId, 'base-mainnet');
  const hire = { headers: versionTwo(offer, await buyer.authorise(offer)), body: { brief: MACHINE_BRIEF } };
  const hired = await requireHired(call(market.url, `POST /api/x402/discover/${serviceId}`, hire));
  const named = addresses();
  assert.ok(named.length >= 12, `${named.length} addresses`);
  for (const { method, url } of named) {
    assert.ok(url.startsWith(market.url), url);
    const address = url.replace('{service_id}', serviceId).replace('{order_id}', hired.orderId);
    const body =
      method === 'PATCH' ? { action: 'approve' } : method === 'POST' && address.endsWith('/messages') ? { content: 'Hello' } : {};
    const reply = await call(market.url, `${method} ${address.slice(market.url.length) as `/${string}`}`, {
      key: hired.buyerToken ?? '',
      ...(method !== 'GET' && { body }),
    });
    // A premature approval is refused by the order, a paid address answers 402, and an order token is no API key.
    const expected =
      url.endsWith('/mcp') && method === 'POST' ? 401 : url.includes('/x402/discover/') ? 402 : method === 'PATCH' ? 400 : 200;
    assert.equal(reply.status, expected, `${method} ${url}: ${JSON.stringify(reply.body).slice(0, 300)}`);
  }
});

test('llms.txt says how to hire, which defaults of clients refuse payments, and how to return to an order', () => {
  for (const words of [
    'PAYMENT-SIGNATURE',
    'more than 1 USD',
    'more than 0.10 USD',
    'read_token',
    'SIGN-IN-WITH-X',
    'auth=siwx',
    'X-Market-Wallet-Sig',
  ]) {
    assert.ok(text.includes(words), words);
  }
  assert.equal(/\{(?!service_id\}|order_id\}|"| max)/.test(text), false, 'no address has a placeholder that nobody explains');
});

test('llms.txt mentions MCP exactly when MCP is served', async () => {
  const served = (await call(market.url, 'POST /mcp', { body: {} })).status !== 404;
  assert.equal(text.includes(`${market.url}/mcp`), served);
});
