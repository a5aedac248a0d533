/** A reorganisation reverts a swap that had landed. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { call, type Envelope, expectCall } from '../harness/http.ts';
import { openMarket, type TestMarket, withOwnChains } from '../harness/market.ts';
import { tokenFor } from '../harness/people.ts';
import { createTaker, signSwap } from '../harness/swaps.ts';
import { chainOf, until } from '../money/money.ts';

const FINAL_MS = 16_000;
const USDC_MICROS = 20_000_000n;

let market: TestMarket;
before(async () => {
  // Not the fast chains of tests, where a swap is final before it can be reverted.
  market = await openMarket({ ...withOwnChains, SANDBOX_CHAINS: 'on' });
});
after(() => market?.close());

test('a swap that a reorganisation reverted is not done; the same request reports what the chain shows', async () => {
  const taker = await createTaker(market, USDC_MICROS);
  const person = { key: await tokenFor(market.url, { email: 'swapper@example.com' }) };
  const body = { amount_usd: '15.00', taker: taker.address };
  // The swap's money must be final, out of reach of the reorganisation.
  await new Promise((resolve) => setTimeout(resolve, FINAL_MS));
  const quoted = await until('a quote', async () => {
    const reply = await call(market.url, 'POST /api/swap/order', { ...person, body });
    return reply.status === 200 ? reply.body['data'] : undefined;
  });
  const signed = { request_id: quoted.requestId, signed_transaction: await signSwap(quoted.transaction, taker) };
  const execute = async (): Promise<Envelope> => await expectCall(market.url, 200, 'POST /api/swap/execute', { ...person, body: signed });
  const usdc = async () => (await chainOf(market, 'solana-mainnet').readBalances(taker.address)).usdcMicros;
  const state = async () =>
    (await market.database.pool.query('select state from swap_orders where id = $1', [quoted.requestId])).rows[0].state;

  assert.equal((await execute())['status'], 'Success');
  assert.equal(await usdc(), 5_000_000n);
  await expectCall(market.url, 200, 'POST /sandbox/fault', { body: { target: 'solana', mode: 'reorg' } });
  await until('the reorganisation', async () => ((await usdc()) === USDC_MICROS ? true : undefined));
  assert.notEqual(await state(), 'done');

  const again = await execute();
  const isSwapped = (await usdc()) !== USDC_MICROS;
  assert.equal(again['status'] === 'Success', isSwapped, JSON.stringify(again));
  await until('the end', async () => ((await execute())['status'] !== 'Pending' ? true : undefined));
  const ended = (await usdc()) === USDC_MICROS ? 'Failed' : 'Success';
  assert.equal((await execute())['status'], ended);
});
