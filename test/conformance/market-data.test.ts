/** POST /api/market: bounds, one source call for many readers, and answers without a source or with a broken one. */
import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { suite, type TestContext, test } from 'node:test';
import { base58 } from '@scure/base';
import { call, type Envelope } from '../harness/http.ts';
import { openMarket, type Settings, withChains } from '../harness/market.ts';
import { createMaker, fillPool, makeToken } from '../harness/tokens.ts';
import { until } from '../money/money.ts';

const mint = (n: number): string => base58.encode(Uint8Array.from({ length: 32 }, (_, at) => (at < 2 ? (n >> (8 * at)) & 255 : 7)));
const [TRADED, UNTRADED] = [mint(1), mint(2)];

/** A price source on a real socket that answers as aggregators do. */
async function openSource(t: TestContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  t.after(() => new Promise((resolve) => server.close(resolve)));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/tokens`;
}

async function openAsked(t: TestContext, settings: Settings = {}) {
  const market = await openMarket(settings);
  t.after(market.close);
  return (body: unknown) => call(market.url, 'POST /api/market', { body: body as Record<string, unknown> });
}

suite('POST /api/market', () => {
  test('POST /api/market refuses what is not a list of mints; a sandbox without chains prices no token', async (t) => {
    const ask = await openAsked(t, { RATE_LIMIT_SCALE: '1000' });
    for (const body of [{}, { mints: [] }, { mints: 'abc' }, { mints: [1] }, { mints: null }]) {
      const { status, body: answer } = await ask(body);
      assert.deepEqual([status, answer['code']], [400, 'invalid_input'], JSON.stringify(body));
    }
    assert.deepEqual((await ask({ mints: [TRADED, 'not base58: 0OIl', TRADED] })).body['data'], { [TRADED]: null });
    const many = Array.from({ length: 130 }, (_, n) => mint(n));
    assert.deepEqual(Object.keys((await ask({ mints: many })).body['data']).sort(), many.slice(0, 100).sort());
  });

  test('the sandbox prices SOL and tokens by their pools, and tokens without a pool not at all', async (t) => {
    const market = await openMarket({ ...withChains, JOBS: 'off', RATE_LIMIT_SCALE: '1000' });
    t.after(market.close);
    const ask = (body: Envelope) => call(market.url, 'POST /api/market', { body });
    const SOL = 'So11111111111111111111111111111111111111112';
    const answer = await until('the pool', async () => {
      const { data } = (await ask({ mints: [SOL, TRADED] })).body;
      return data[SOL] === null ? undefined : data;
    });
    assert.deepEqual(answer, { [SOL]: { price_usd: 150, market_cap_usd: null }, [TRADED]: null });
    const maker = await createMaker(market);
    for (const form of ['token', 'token-2022'] as const) {
      const { mint: made } = await makeToken(maker, { form });
      await fillPool(market, maker, made, { form, units: 200_000_000n, usdcMicros: 50_000_000n });
      const price = await until('the price', async () => (await ask({ mints: [made] })).body['data'][made] ?? undefined);
      assert.deepEqual(price, { price_usd: 0.25, market_cap_usd: 50 }, form);
    }
  });

  test('E56: POST /api/market allows 30 calls a minute', async (t) => {
    const ask = await openAsked(t, { RATE_LIMIT_SCALE: '1' });
    for (let n = 0; n < 30; n++) assert.equal((await ask({ mints: [TRADED] })).status, 200);
    assert.equal((await ask({ mints: [TRADED] })).status, 429);
  });

  test('POST /api/market reads its source once for calls at the same time, and keeps the answer', async (t) => {
    const asked: string[] = [];
    const source = await openSource(t, (request, response) => {
      asked.push(decodeURIComponent(request.url ?? ''));
      const pairs = [
        { baseToken: { address: TRADED }, priceUsd: '0.25', marketCap: null, fdv: 1000 },
        { baseToken: { address: TRADED }, priceUsd: '9', marketCap: 9 },
      ];
      setTimeout(() => response.setHeader('content-type', 'application/json').end(JSON.stringify(pairs)), 100);
    });
    const ask = await openAsked(t, { PRICE_SOURCE_URL: source, RATE_LIMIT_SCALE: '1000' });
    const answers = await Promise.all(Array.from({ length: 8 }, () => ask({ mints: [TRADED, UNTRADED] })));
    for (const { body } of answers)
      assert.deepEqual(body['data'], { [TRADED]: { market_cap_usd: 1000, price_usd: 0.25 }, [UNTRADED]: null });
    await ask({ mints: [UNTRADED] });
    assert.deepEqual(asked, [`/tokens/${TRADED},${UNTRADED}`]);
  });

  test('POST /api/market answers 503 when the source fails, and asks it again the next time', async (t) => {
    let broken = true;
    const source = await openSource(t, (_request, response) => {
      if (broken) response.writeHead(500).end('oops');
      else response.end(JSON.stringify({ pairs: null }));
    });
    const ask = await openAsked(t, { PRICE_SOURCE_URL: source });
    const refused = await ask({ mints: [TRADED] });
    assert.deepEqual([refused.status, refused.body['code']], [503, 'price_source_down']);
    broken = false;
    assert.deepEqual((await ask({ mints: [TRADED] })).body['data'], { [TRADED]: null });
  });
});
