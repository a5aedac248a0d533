/** Where a hire may carry its brief, its service and its network: path, query, body or header. */
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { networkFacts, networkNames } from '@market/contract';
import { call } from '../harness/http.ts';
import {
  type Headers,
  MACHINE_BRIEF,
  type MachineBuyer,
  openMachineBuyer,
  readOffer,
  requireHired,
  versionTwo,
} from '../harness/machine-buyers.ts';
import { openMarket, type TestMarket, withChains } from '../harness/market.ts';
import { listService, openProvider, requireSoundBooks } from '../harness/orders.ts';
import { agentBody } from '../harness/people.ts';

const BRIEF = encodeURIComponent(MACHINE_BRIEF);

describe('parameters of a hire', () => {
  let market: TestMarket;
  let service: string;
  let buyer: MachineBuyer;
  before(async () => {
    market = await openMarket(withChains);
    service = await listService(market.url, await openProvider(market.url), { price_usd: '1.00' });
    buyer = await openMachineBuyer(market, 'base-mainnet');
  });
  after(async () => {
    await requireSoundBooks(market);
    await market.close();
  });

  const payment = async (): Promise<Headers> => {
    const offer = await readOffer(market, market.url, service, 'base-mainnet');
    return versionTwo(offer, await buyer.authorise(offer));
  };

  const briefOf = async ({ orderId, token }: { orderId: string; token: string | null }) =>
    (await call(market.url, `GET /api/orders/${orderId}`, { key: token ?? '' })).body['data'].order.brief;

  test('pay takes service_id and brief from the query, from the body, and from both when they agree', async () => {
    const ways: [string, Record<string, unknown>][] = [
      [`?service_id=${service}&brief=${BRIEF}`, {}],
      ['', { service_id: service, brief: MACHINE_BRIEF }],
      [`?service_id=${service}`, { service_id: service, brief: MACHINE_BRIEF }],
      [`?brief=${BRIEF}`, { service_id: service, brief: ` ${MACHINE_BRIEF} ` }],
    ];
    for (const [query, body] of ways) {
      assert.equal((await call(market.url, `POST /api/x402/pay${query}`, { body })).status, 402, query);
      const hired = await requireHired(call(market.url, `POST /api/x402/pay${query}`, { headers: await payment(), body }));
      assert.equal(await briefOf(hired), MACHINE_BRIEF);
    }
    const bodiless = await requireHired(
      call(market.url, `POST /api/x402/pay?service_id=${service}&brief=${BRIEF}`, { headers: await payment() }),
    );
    assert.equal(await briefOf(bodiless), MACHINE_BRIEF);
  });

  test('contradicting parameters or a missing service_id of a hire are refused before any charge', async () => {
    const headers = await payment();
    for (const [query, body, word] of [
      [`?service_id=${service}&brief=One%20thing.`, { brief: 'Another thing.' }, /brief .* differ/],
      ['?service_id=svc_1700000000000_other0000', { service_id: service, brief: MACHINE_BRIEF }, /service_id .* differ/],
      ['', { brief: MACHINE_BRIEF }, /service_id/],
    ] as const) {
      const refused = await call(market.url, `POST /api/x402/pay${query}`, { headers, body });
      assert.deepEqual([refused.status, refused.body['code']], [400, 'invalid_input'], JSON.stringify(refused.body));
      assert.match(refused.body['error'], word);
    }
    await requireHired(call(market.url, 'POST /api/x402/pay', { headers, body: { service_id: service, brief: MACHINE_BRIEF } }));
  });

  test('one payment under both header names hires once; two payments are refused before any charge', async () => {
    const [one, other] = [await payment(), await payment()];
    const signed = one['payment-signature'] ?? '';
    const body = { service_id: service, brief: MACHINE_BRIEF };
    const refused = await call(market.url, 'POST /api/x402/pay', { headers: { ...other, 'x-payment': signed }, body });
    assert.deepEqual([refused.status, refused.body['code']], [400, 'ambiguous_payment'], JSON.stringify(refused.body));
    const hired = await requireHired(call(market.url, 'POST /api/x402/pay', { headers: { ...one, 'x-payment': signed }, body }));
    const again = await requireHired(call(market.url, 'POST /api/x402/pay', { headers: one, body }));
    assert.equal(again.orderId, hired.orderId);
  });

  test('GET discover accepts a JSON body, paid and unpaid', async () => {
    const path = `/api/x402/discover/${service}`;
    assert.equal((await getWithBody(market.url, path, {}, { brief: MACHINE_BRIEF })).status, 402);
    const paid = await getWithBody(market.url, path, await payment(), { brief: 'By a body on GET.' });
    assert.equal(paid.status, 200, paid.text);
    const { order_id: orderId, data } = JSON.parse(paid.text);
    assert.equal(await briefOf({ orderId, token: data.read_token }), 'By a body on GET.');
    const unknown = await getWithBody(market.url, path, await payment(), { brief: MACHINE_BRIEF, nonsense: 1 });
    assert.deepEqual([unknown.status, JSON.parse(unknown.text).code], [400, 'invalid_input']);
    const notJson = await getWithBody(market.url, path, { 'content-type': 'text/plain' }, 'hello');
    assert.equal(notJson.status, 415);
  });

  test('chain and X-Payment-Network select the network of every single-offer challenge by any of its names', async () => {
    const flat: Record<string, (query: string, headers: Headers) => ReturnType<typeof call>> = {
      quote: (query, headers) => call(market.url, `GET /api/x402/pay?service_id=${service}${query}`, { headers }),
      pay: (query, headers) => call(market.url, `POST /api/x402/pay?service_id=${service}${query}`, { headers }),
      orders: (query, headers) =>
        call(market.url, `POST /api/orders?x402Version=2${query}`, { headers, body: { service_id: service, brief: MACHINE_BRIEF } }),
      register: (query, headers) => call(market.url, `POST /api/agents/register?pay=x402${query}`, { headers, body: agentBody() }),
    };
    for (const [route, ask] of Object.entries(flat)) {
      for (const network of networkNames) {
        const names = [network, networkFacts[network].chain, market.chains.get(network)?.caip2 ?? ''];
        for (const name of names) {
          const byQuery = await ask(`&chain=${encodeURIComponent(name)}`, {});
          const byHeader = await ask('', { 'x-payment-network': name });
          for (const { status, body } of [byQuery, byHeader])
            assert.deepEqual([status, body['network']], [402, network], `${route}: ${name}`);
        }
      }
      for (const refused of [await ask('&chain=ethereum', {}), await ask('', { 'x-payment-network': 'ethereum' })]) {
        assert.deepEqual([refused.status, refused.body['code']], [400, 'invalid_input'], route);
        for (const network of networkNames) assert.ok(refused.body['error'].includes(network));
      }
      assert.equal((await ask('&chain=base', { 'x-payment-network': 'solana' })).status, 400, route);
    }
  });

  test('chain names the network of a transfer like the X-Payment-Network header', async () => {
    const other = await openMachineBuyer(market, 'alt-mainnet');
    const asked = await call(market.url, `GET /api/x402/pay?service_id=${service}&chain=alt`);
    const reference = await other.payer.pay(asked.body['payTo'], BigInt(asked.body['maxAmountRequired']));
    const hired = await call(market.url, `POST /api/x402/pay?service_id=${service}&chain=alt&brief=${BRIEF}`, {
      headers: { 'x-payment': reference },
    });
    assert.deepEqual([hired.status, hired.body['data']?.x402.payment_chain], [200, 'alt'], JSON.stringify(hired.body));
  });
});

/** `fetch` cannot send a body with GET; curl and many programs can. */
async function getWithBody(url: string, path: string, headers: Headers, body: unknown): Promise<{ status: number; text: string }> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return await new Promise((resolve, reject) => {
    const all = { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)), ...headers };
    const sent = request(new URL(path, url), { method: 'GET', headers: all, agent: false }, (response) => {
      response.toArray().then((chunks) => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }), reject);
    });
    sent.once('error', reject).end(text);
  });
}
