/** Story: USDC is deposited into a vault, gains value, and is withdrawn: at once, or in parts as the venue frees liquidity. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openMarket, type TestMarket, withOwnChains } from '../harness/market.ts';
import { requireSoundBooks } from '../harness/orders.ts';
import {
  advance,
  balanceOf,
  type Depositor,
  deposited,
  LEND,
  leaveFree,
  openDepositor,
  positionOf,
  readMovement,
  untilStatus,
  withdraw,
  withoutWaits,
} from './stage.ts';

let market: TestMarket;
let anna: Depositor;
let ben: Depositor;
before(async () => {
  market = await openMarket({ ...withOwnChains, ...withoutWaits });
  [anna, ben] = [await openDepositor(market), await openDepositor(market)];
});
after(() => market.close());

test('a deposit becomes shares, its value grows with time, and a withdrawal pays more than was paid in', async () => {
  const deposit = await deposited(market, anna, 1_000);
  assert.match(String(deposit['state_text']), /^1000\.00 USDC is in /);
  const before = await positionOf(market, anna);
  assert.equal(before?.['principal_usd'], '1000.000000');
  await advance(market, 30 * 86_400);
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  const grown = await positionOf(market, anna);
  assert.ok(Number(grown?.['gain_usd']) > 1, JSON.stringify(grown));
  const had = await balanceOf(anna);
  const reply = await withdraw(market, anna, { all: true, key: LEND });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  const settled = await untilStatus(market, anna, String(reply.body['data'].withdrawal_id), 'settled');
  const paid = (await balanceOf(anna)) - had;
  assert.ok(paid > 1_001_000_000n, String(paid));
  assert.equal(settled['amount_usd'], (Number(paid) / 1e6).toFixed(6));
  assert.equal(await positionOf(market, anna), undefined);
});

test('C26: a withdrawal beyond free liquidity is paid in part, keeps its place in the queue, and is settled as liquidity arrives', async () => {
  await deposited(market, anna, 1_000);
  await deposited(market, ben, 500);
  await leaveFree(market, LEND, 300);
  const first = await withdraw(market, anna, { all: true, key: LEND });
  assert.equal(first.body['data'].status, 'queued', JSON.stringify(first.body));
  const second = await withdraw(market, ben, { all: true, key: LEND });
  assert.deepEqual([second.body['data'].status, second.body['data'].place], ['queued', 2], JSON.stringify(second.body));
  const [a, b] = [String(first.body['data'].withdrawal_id), String(second.body['data'].withdrawal_id)];
  for (let look = 0; look < 200 && (await readMovement(market, anna, a))['amount_usd'] === '0.000000'; look++)
    await new Promise((resolve) => setTimeout(resolve, 100));
  const part = await readMovement(market, anna, a);
  assert.equal(Math.round(Number(part['amount_usd'])), 300, JSON.stringify(part));
  assert.equal(part['place'], 1);
  await leaveFree(market, LEND, 400_000);
  await advance(market, 31);
  const done = await untilStatus(market, anna, a, 'settled');
  assert.ok(Number(done['amount_usd']) >= 1_000);
  await untilStatus(market, ben, b, 'settled');
  await requireSoundBooks(market);
});
