/** Swaps of USDC into SOL: on the sandbox's pool on chain, and through an aggregator over HTTP; with their refusals. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, suite, test } from 'node:test';
import { registerAgent } from '../harness/agents.ts';
import { type CallOptions, call, type Envelope, expectCall, type Reply } from '../harness/http.ts';
import { openMarket, type Settings, type TestMarket, withChains } from '../harness/market.ts';
import { freshAddress, type SolanaWallet } from '../harness/payers.ts';
import { baseWallet, tokenFor } from '../harness/people.ts';
import { createTaker, signSwap } from '../harness/swaps.ts';
import { until } from '../money/money.ts';

const SOL = 'So11111111111111111111111111111111111111112';
const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const outcome = ({ status, body }: Reply): [number, string | undefined] => [status, body['code']];

suite('the pool of the sandbox', () => {
  let market: TestMarket;
  let person: CallOptions;

  before(async () => {
    market = await openMarket(withChains);
    person = { key: await tokenFor(market.url, { email: 'swapper@example.com' }) };
    await until('the pool', async () => ((await priceOfSol()) === null ? undefined : true));
  });
  after(() => market.close());

  const order = (body: Envelope, who: CallOptions = person) => call(market.url, 'POST /api/swap/order', { ...who, body });
  const execute = (body: Envelope, who: CallOptions = person) => call(market.url, 'POST /api/swap/execute', { ...who, body });
  const balances = async (address: string) =>
    await (market.chains.get('solana-mainnet') as NonNullable<ReturnType<TestMarket['chains']['get']>>).readBalances(address);
  const priceOfSol = async (): Promise<Envelope | null> =>
    (await expectCall(market.url, 200, 'POST /api/market', { body: { mints: [SOL] } }))[SOL];
  const untilSeen = (address: string) =>
    until('the SOL', async () => {
      const { native } = await balances(address);
      return native > 0n ? native : undefined;
    });

  async function quote(taker: SolanaWallet, amount: string, receiver?: string): Promise<Envelope> {
    const reply = await order({ amount_usd: amount, taker: taker.address, ...(receiver !== undefined && { receiver }) });
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    return reply.body['data'];
  }

  test('E14: a swap gives a taker without SOL the quoted amount, for exactly the USDC, once; the price follows the pool', async () => {
    const taker = await createTaker(market, 400_000_000n);
    const before = Number((await priceOfSol())?.['price_usd']);
    assert.ok(before > 100 && before < 250, String(before));
    const quoted = await quote(taker, '300.00');
    assert.deepEqual(
      [quoted['inputMint'], quoted['outputMint'], quoted['inAmount'], quoted['taker']],
      [USDC, SOL, '300000000', taker.address],
    );
    assert.ok(Math.abs(300 / (Number(quoted['outAmount']) / 1e9) / before - 1) < 0.01, 'close to the price, with fee and impact');
    const signed = { request_id: quoted['requestId'], signed_transaction: await signSwap(quoted['transaction'], taker) };
    const done = await execute(signed);
    assert.deepEqual([done.status, done.body['data'].status], [200, 'Success'], JSON.stringify(done.body));
    assert.equal(await untilSeen(taker.address), BigInt(quoted['outAmount']));
    assert.equal((await balances(taker.address)).usdcMicros, 100_000_000n);
    const again = await execute(signed);
    assert.deepEqual(again.body['data'], done.body['data']);
    assert.equal((await balances(taker.address)).usdcMicros, 100_000_000n);
    await until('a higher price', async () => (Number((await priceOfSol())?.['price_usd']) > before ? true : undefined));
  });

  test('two parallel executions of a quote swap once, and another wallet can receive', async () => {
    const [taker, receiver] = [await createTaker(market, 25_000_000n), freshAddress('solana-mainnet')];
    const quoted = await quote(taker, '25', receiver);
    const signed = { request_id: quoted['requestId'], signed_transaction: await signSwap(quoted['transaction'], taker) };
    const replies = await Promise.all([execute(signed), execute(signed), execute(signed)]);
    for (const { status, body } of replies) assert.deepEqual([status, body['data'].status], [200, 'Success'], JSON.stringify(body));
    assert.equal(await untilSeen(receiver), BigInt(quoted['outAmount']));
    assert.deepEqual(await balances(taker.address), { usdcMicros: 0n, native: 0n });
  });

  test('M32: a swap has no choice of pair or slippage, bounds its amount, and takes Solana wallets only', async () => {
    const taker = freshAddress('solana-mainnet');
    const good = { amount_usd: '5.00', taker };
    for (const more of [
      { inputMint: SOL },
      { outputMint: USDC },
      { output_mint: freshAddress('solana-mainnet') },
      { slippageBps: 5000 },
      { amount_usd: '0' },
      { amount_usd: '-1' },
      { amount_usd: '10000.01' },
      { amount_usd: 'many' },
      { amount_usd: undefined },
      { taker: undefined },
      { taker: baseWallet().address },
      { receiver: baseWallet().address },
      { receiver: '1'.repeat(44) },
    ])
      assert.deepEqual([outcome(await order({ ...good, ...more })), more], [[400, 'invalid_input'], more]);
  });

  test('only people who signed in swap, and only by their own quotes', async () => {
    const { key } = await registerAgent(market.url);
    const taker = await createTaker(market, 10_000_000n);
    const body = { amount_usd: '5.00', taker: taker.address };
    assert.deepEqual(outcome(await order(body, {})), [401, 'unauthenticated']);
    assert.deepEqual(outcome(await order(body, { key })), [403, 'wrong_credential']);
    const quoted = await quote(taker, '5.00');
    const signed = { request_id: quoted['requestId'], signed_transaction: await signSwap(quoted['transaction'], taker) };
    const other = { key: await tokenFor(market.url, { email: 'other@example.com' }) };
    assert.deepEqual(outcome(await execute(signed, other)), [404, 'swap_not_found']);
    assert.deepEqual(outcome(await execute({ ...signed, request_id: 'swap_1700000000000_000000000' })), [404, 'swap_not_found']);
  });

  test('M32: a swap passes on nothing but the quoted transaction with its taker’s signature', async () => {
    const [taker, thief] = [await createTaker(market, 10_000_000n), await createTaker(market, 0n)];
    const [quoted, another] = [await quote(taker, '5.00'), await quote(taker, '6.00')];
    const send = (signed_transaction: string) => execute({ request_id: quoted['requestId'], signed_transaction });
    assert.deepEqual(outcome(await send(quoted['transaction'])), [400, 'swap_not_as_quoted']);
    assert.deepEqual(outcome(await send(await signSwap(another['transaction'], taker))), [400, 'swap_not_as_quoted']);
    assert.deepEqual(outcome(await send(Buffer.from('no transaction').toString('base64'))), [400, 'swap_not_as_quoted']);
    const bytes = Buffer.from(await signSwap(quoted['transaction'], taker), 'base64');
    bytes[bytes.length - 1] = (bytes[bytes.length - 1] ?? 0) ^ 1;
    assert.deepEqual(outcome(await send(bytes.toString('base64'))), [400, 'swap_not_as_quoted']);
    const forged = await signSwap(quoted['transaction'], { ...thief, address: taker.address });
    assert.deepEqual(outcome(await send(forged)), [400, 'swap_not_as_quoted']);
    assert.deepEqual(outcome(await send('not base64!')), [400, 'invalid_input']);
    assert.deepEqual(outcome(await send('A'.repeat(20_004))), [400, 'invalid_input']);
    assert.equal((await balances(taker.address)).usdcMicros, 10_000_000n);
  });

  test('a swap by a taker with too little USDC fails with an error, and nothing moves', async () => {
    const taker = await createTaker(market, 1_000_000n);
    const quoted = await quote(taker, '500');
    const { body } = await execute({ request_id: quoted['requestId'], signed_transaction: await signSwap(quoted['transaction'], taker) });
    assert.equal(body['data'].status, 'Failed');
    assert.match(body['data'].error, /USDC/);
    assert.deepEqual(await balances(taker.address), { usdcMicros: 1_000_000n, native: 0n });
  });

  test('a swap of less than a new wallet must hold is refused before anybody signs', async () => {
    const taker = await createTaker(market, 1_000_000n);
    assert.deepEqual(outcome(await order({ amount_usd: '0.01', taker: taker.address })), [400, 'swap_too_small']);
  });

  test('a swap fails when the price moved by more than the slippage since its quote', async () => {
    const [small, large] = [await createTaker(market, 10_000_000n), await createTaker(market, 5_000_000_000n)];
    const quoted = await quote(small, '10');
    const big = await quote(large, '5000');
    assert.equal(
      (await execute({ request_id: big['requestId'], signed_transaction: await signSwap(big['transaction'], large) })).status,
      200,
    );
    await untilSeen(large.address);
    const late = { request_id: quoted['requestId'], signed_transaction: await signSwap(quoted['transaction'], small) };
    assert.deepEqual(outcome(await execute(late)), [409, 'swap_price_moved']);
    assert.equal((await execute(late)).body['data'].status, 'Failed');
    assert.deepEqual(await balances(small.address), { usdcMicros: 10_000_000n, native: 0n });
  });

  test('an expired swap quote is 400, and swaps nothing', async () => {
    const taker = await createTaker(market, 10_000_000n);
    const quoted = await quote(taker, '5.00');
    // Shared chains cannot move their time, so the quote is aged in the database.
    await market.database.pool.query(`update swap_orders set expires_at = market_now() where id = $1`, [quoted['requestId']]);
    const signed = { request_id: quoted['requestId'], signed_transaction: await signSwap(quoted['transaction'], taker) };
    assert.deepEqual(outcome(await execute(signed)), [400, 'swap_expired']);
    assert.equal((await balances(taker.address)).usdcMicros, 10_000_000n);
  });
});

describe('without a venue', () => {
  test('F10: without a venue swaps answer 503, 30 times an hour', async () => {
    const market = await openMarket({ JOBS: 'off', RATE_LIMIT_SCALE: '1' });
    try {
      const who = { key: await tokenFor(market.url, { email: 'swapper@example.com' }) };
      const body = { amount_usd: '5.00', taker: freshAddress('solana-mainnet') };
      for (let n = 0; n < 30; n++)
        assert.deepEqual(outcome(await call(market.url, 'POST /api/swap/order', { ...who, body })), [503, 'swap_unavailable']);
      assert.equal((await call(market.url, 'POST /api/swap/order', { ...who, body })).status, 429);
    } finally {
      await market.close();
    }
  });
});

/** Answers as Jupiter's Ultra API does, on a real socket; the transaction is one that the sandbox composes. */
suite('an aggregator', () => {
  const taker = freshAddress('solana-mainnet');
  const asked: { method: string; url: URL; key: string | undefined; body: string }[] = [];
  let answers: { status: number; body: unknown }[] = [];
  let market: TestMarket;
  let source: string;
  let person: CallOptions;
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    asked.push({
      method: request.method ?? '',
      url: new URL(request.url ?? '', 'http://source'),
      key: request.headers['x-api-key'] as string | undefined,
      body,
    });
    const next = answers.shift() ?? { status: 500, body: {} };
    response.writeHead(next.status, { 'content-type': 'application/json' }).end(JSON.stringify(next.body));
  });

  const open = async (settings: Settings = {}) =>
    await openMarket({ JOBS: 'off', SWAP_AGGREGATOR_URL: source, SWAP_AGGREGATOR_KEY: 'k-123', OUTBOUND_ALLOW: '127.0.0.1', ...settings });

  before(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    source = `http://127.0.0.1:${(server.address() as AddressInfo).port}/ultra/v1`;
    market = await open();
    person = { key: await tokenFor(market.url, { email: 'swapper@example.com' }) };
  });
  after(async () => {
    await market.close();
    await new Promise((resolve) => server.close(resolve));
  });

  /** A transaction with one signature slot, for the taker, and a legacy message without a payment. */
  async function transactionOf(wallet: string): Promise<string> {
    const { composeTrial } = await import('../../packages/server/src/platform/chains/solana/compose-transaction.ts');
    const { writeMemo } = await import('../../packages/server/src/platform/chains/solana/instructions.ts');
    return composeTrial(wallet as Parameters<typeof composeTrial>[0], [writeMemo('swap')]);
  }
  const quoteOf = async (wallet: string, more: Envelope = {}) => ({
    status: 200,
    body: {
      requestId: 'req-1',
      transaction: await transactionOf(wallet),
      inputMint: USDC,
      outputMint: SOL,
      inAmount: '25000000',
      outAmount: '166000000',
      otherAmountThreshold: '165000000',
      slippageBps: 60,
      swapType: 'aggregator',
      ...more,
    },
  });
  const order = (more: Envelope = {}) =>
    call(market.url, 'POST /api/swap/order', { ...person, body: { amount_usd: '25.00', taker, ...more } });

  test('the market asks the aggregator for the fixed pair, and passes its quote on', async () => {
    answers = [await quoteOf(taker)];
    const { status, body } = await order({ receiver: SOL });
    assert.equal(status, 200, JSON.stringify(body));
    const { method, url, key } = asked.at(-1) ?? assert.fail();
    assert.deepEqual([method, url.pathname, key], ['GET', '/ultra/v1/order', 'k-123']);
    assert.deepEqual(Object.fromEntries(url.searchParams), { inputMint: USDC, outputMint: SOL, amount: '25000000', taker, receiver: SOL });
    assert.deepEqual([body['data'].outAmount, body['data'].otherAmountThreshold, body['data'].slippageBps], ['166000000', '165000000', 60]);
  });

  test('M32: an aggregator’s quote with more slippage than allowed, another pair, another amount or nonsense is 502', async () => {
    for (const [more, code] of [
      [{ slippageBps: 101 }, 'swap_slippage'],
      [{ otherAmountThreshold: '100000000' }, 'swap_slippage'],
      [{ outAmount: '0', otherAmountThreshold: '0' }, 'swap_slippage'],
      [{ outputMint: USDC }, 'swap_venue_failed'],
      [{ inAmount: '26000000' }, 'swap_venue_failed'],
      [{ otherAmountThreshold: '166000001' }, 'swap_venue_failed'],
      [{ transaction: null }, 'swap_venue_failed'],
      [{ transaction: 'AAAA' }, 'swap_venue_failed'],
    ] as const) {
      answers = [await quoteOf(taker, more)];
      assert.deepEqual([outcome(await order()), more], [[502, code], more]);
    }
    answers = [{ status: 400, body: { error: 'no route' } }];
    assert.deepEqual(outcome(await order()), [502, 'swap_venue_failed']);
  });

  test('a swap executes under the aggregator’s request id; after an unclear answer the same call asks again', async () => {
    const { createSolanaWallet } = await import('../harness/payers.ts');
    const wallet = createSolanaWallet();
    answers = [await quoteOf(wallet.address)];
    const quoted = (await order({ taker: wallet.address })).body['data'];
    const signed = { request_id: quoted.requestId, signed_transaction: await signSwap(quoted.transaction, wallet) };
    const execute = () => call(market.url, 'POST /api/swap/execute', { ...person, body: signed });
    answers = [{ status: 500, body: {} }];
    assert.deepEqual(outcome(await execute()), [502, 'swap_venue_failed']);
    answers = [{ status: 200, body: { status: 'Success', signature: 'a-signature' } }];
    const done = await execute();
    assert.deepEqual([done.body['data'].status, done.body['data'].signature], ['Success', 'a-signature']);
    assert.deepEqual(JSON.parse(asked.at(-1)?.body ?? ''), { signedTransaction: signed.signed_transaction, requestId: 'req-1' });
    const calls = asked.length;
    assert.deepEqual((await execute()).body['data'], done.body['data']);
    assert.equal(asked.length, calls);
  });

  test('an aggregator on a private address is not called unless the operator allows it', async () => {
    const strict = await open({ OUTBOUND_ALLOW: 'elsewhere.example' });
    try {
      const calls = asked.length;
      const key = await tokenFor(strict.url, { email: 'swapper@example.com' });
      const reply = await call(strict.url, 'POST /api/swap/order', { key, body: { amount_usd: '25.00', taker } });
      assert.deepEqual([outcome(reply), asked.length], [[502, 'swap_venue_failed'], calls]);
    } finally {
      await strict.close();
    }
  });
});
