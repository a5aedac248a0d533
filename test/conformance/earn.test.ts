/** Earn as the specification and the contract describe it: fields, minimum, queue, 503, credentials and limits. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { LEND, openDepositor, POOL } from '../earn/stage.ts';
import { call, expectCall } from '../harness/http.ts';
import { openMarket, type TestMarket, withChains } from '../harness/market.ts';

describe('Earn without a venue', () => {
  let market: TestMarket;
  before(async () => {
    market = await openMarket({ EARN_VENUES: 'none' });
  });
  after(() => market.close());

  test('F10: Earn without a venue answers 503', async () => {
    for (const path of ['markets', 'pools', `history?key=${LEND}`])
      assert.equal((await call(market.url, `GET /api/earn/pool/${path}`)).status, 503, path);
  });
});

describe('Earn with the venues of the sandbox', () => {
  let market: TestMarket;
  before(async () => {
    market = await openMarket({ ...withChains, RATE_LIMIT_SCALE: '1', PAYMENT_WAIT_SECONDS: '1' });
  });
  after(() => market.close());

  test('GET markets of Earn lists products with the lower risk first, and pools is a list that market filters', async () => {
    const data = (await expectCall(market.url, 200, 'GET /api/earn/pool/markets')) as Record<string, unknown>;
    const products = data['products'] as { kind: string; risk: string; markets: Record<string, unknown>[] }[];
    assert.deepEqual(
      products.map(({ kind, risk }) => [kind, risk]),
      [
        ['lending', 'lower'],
        ['liquidity_provision', 'higher'],
      ],
    );
    const lending = products[0]?.markets[0];
    assert.equal(lending?.['min_deposit_usd'], '100.000000');
    assert.equal(lending?.['treasury_wallet'], market.chains.get('base-mainnet')?.treasury);
    assert.ok(Number(lending?.['apr_pct']) > 0);
    assert.deepEqual(data['enabled'], [POOL]);
    const pools = (await expectCall(market.url, 200, `GET /api/earn/pool/pools?market=${POOL}`)) as unknown as Record<string, unknown>[];
    assert.equal(pools.length, 1);
    assert.ok(Number(pools[0]?.['fee_apr_pct']) > 0);
    assert.equal((await call(market.url, 'GET /api/earn/pool/pools?market=nothing')).status, 400);
  });

  test('Earn positions, deposits and withdrawals need credentials; an unknown vault or no position is 400', async () => {
    for (const route of ['GET /api/earn/pool/positions', 'GET /api/earn/pool/movements'] as const)
      assert.equal((await call(market.url, route)).status, 401, route);
    for (const route of ['POST /api/earn/pool/deposit', 'POST /api/earn/pool/withdraw'] as const)
      assert.equal((await call(market.url, route, { body: { all: true, amount_usd: 1, incoming_tx_hash: '0x' } })).status, 401, route);
    const { key = '' } = await (await openDepositor(market, 1_000_000n)).credentials();
    assert.deepEqual(await expectCall(market.url, 200, 'GET /api/earn/pool/positions', { key }), []);
    const refusals = [
      [{ all: true, key: LEND }, 'earn_no_position'],
      [{ all: true, venue: 'nowhere' }, 'earn_market_unknown'],
      [{ key: LEND }, 'invalid_input'],
      [{ all: true, key: LEND, slippage_bps: 1001 }, 'invalid_input'],
    ] as const;
    for (const [body, code] of refusals) {
      const reply = await call(market.url, 'POST /api/earn/pool/withdraw', { key, body });
      assert.deepEqual([reply.status, reply.body['code']], [400, code], JSON.stringify(body));
    }
  });

  test('an owner makes 30 Earn deposits and withdrawals per hour together, and reads positions 120 times', async () => {
    const { key = '' } = await (await openDepositor(market, 1_000_000n)).credentials();
    const body = { amount_usd: 100, incoming_tx_hash: `0x${'ab'.repeat(32)}`, key: LEND };
    for (let round = 0; round < 15; round++) {
      assert.equal((await call(market.url, 'POST /api/earn/pool/deposit', { key, body })).status, 400);
      assert.equal((await call(market.url, 'POST /api/earn/pool/withdraw', { key, body: { all: true, key: LEND } })).status, 400);
    }
    const over = await call(market.url, 'POST /api/earn/pool/withdraw', { key, body: { all: true, key: LEND } });
    assert.equal(over.status, 429);
    for (let round = 0; round < 120; round++)
      assert.equal((await call(market.url, 'GET /api/earn/pool/positions', { key })).status, 200, String(round));
    assert.equal((await call(market.url, 'GET /api/earn/pool/positions', { key })).status, 429);
  });

  test('Y05: one client address calls Earn deposit and withdraw 120 times per hour each, whatever wallets it shows', async () => {
    for (const route of ['POST /api/earn/pool/deposit', 'POST /api/earn/pool/withdraw'] as const) {
      let calls = 0;
      // Calls of earlier tests count, too.
      for (; calls <= 120; calls++) if ((await call(market.url, route, { body: { key: LEND, all: true } })).status === 429) break;
      assert.ok(calls > 60 && calls <= 120, `${route}: ${calls}`);
      const { key = '' } = await (await openDepositor(market, 1_000_000n)).credentials();
      assert.equal((await call(market.url, route, { key, body: { key: LEND, all: true } })).status, 429, 'another account');
    }
  });
});
