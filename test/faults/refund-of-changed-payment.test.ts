/** A reorganisation includes a payment again with almost nothing. Its refund would be other people's money. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openMarket, type TestMarket, withOwnChains } from '../harness/market.ts';
import { createPayer, type EvmPayer, freshAddress } from '../harness/payers.ts';
import { isThorough, THOROUGH_ONLY } from '../harness/thoroughness.ts';
import { chainOf, type Money, openMoney, USDC, until } from '../money/money.ts';
import { payForOrder, queueOutgoing, readPayout } from '../money/outgoing.ts';
import { openContract, payAndTakeBack } from './changing-payments.ts';

const NETWORK = 'base-mainnet';
let market: TestMarket;
let money: Money;
before(async () => {
  market = await openMarket({ ...withOwnChains });
  money = await openMoney(market);
});
after(async () => {
  money.clock.stop();
  await market.close();
});

const title = 'C07: a payment that its chain included again with less money is not refunded';
test(title, { skip: !isThorough && THOROUGH_ONLY }, async () => {
  // Payments of others for their orders.
  await payForOrder(money, await createPayer(market, NETWORK), 900n * USDC);
  const thief = (await createPayer(market, NETWORK, 5_000n * USDC)) as EvmPayer;
  const contract = await openContract(thief, 'one micro-USDC');
  const { request, include } = await payAndTakeBack(market, money, thief, contract, 90n * USDC);
  await include();

  const destination = freshAddress(NETWORK);
  const refund = { purpose: 'refund', network: NETWORK, subjectId: request.subjectId, amountMicros: 90n * USDC, destination } as const;
  const payout = await queueOutgoing(money, refund);
  // Longer than the interval of every job that could send it.
  const ended = await until(
    'the refund being sent',
    async () => {
      const { state } = await readPayout(money, payout.id);
      return state === 'confirmed' ? state : undefined;
    },
    45,
  ).catch(() => 'held back');
  assert.equal(ended, 'held back');
  assert.equal((await chainOf(money, NETWORK).readBalances(destination)).usdcMicros, 0n, 'the thief got the money of others');
});
