/** A transfer whose payout left before a restore buys the same again and nothing else; one that was refunded buys nothing. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import {
  depositIdOf,
  intentIdOf,
  type PaymentRequest,
  payoutIdFor,
  surplusSubjectOf,
} from '../../packages/server/src/features/payments/index.ts';
import { openMarket, type TestMarket, withChains } from '../harness/market.ts';
import { createPayer, freshAddress, type Payer } from '../harness/payers.ts';
import { type Money, openMoney, outcomeOf, requestFor, USDC } from './money.ts';

const NETWORK = 'base-mainnet';
let market: TestMarket;
let money: Money;
let payer: Payer;

before(async () => {
  market = await openMarket({ ...withChains, JOBS: 'off' });
  money = await openMoney(market);
});
after(async () => {
  money.clock.stop();
  await market.close();
});
beforeEach(async () => {
  await market.database.pool.query('delete from unbooked_outflows');
  payer = await createPayer(market, NETWORK, 100n * USDC);
});

const pay = async (usdc: bigint) => await payer.pay(payer.chain.treasury, usdc * USDC);
const asks = (reference: string, usdc: bigint, more: Partial<PaymentRequest> = {}) =>
  outcomeOf(money, requestFor(money, NETWORK, reference, { expectedMicros: usdc * USDC, ...more }));

/** Records a transfer as `market reconcile` does if lost books had sent it. */
async function leave(name: string, usdc: bigint): Promise<void> {
  const { pool } = market.database;
  const { rows } = await pool.query('select count(*)::int as count from unbooked_outflows');
  await pool.query(
    `insert into unbooked_outflows (network, reference, position, intent_key, destination, amount_micros) values ($1, $2, $3, $4, $5, $6)`,
    [NETWORK, `0x${'ab'.repeat(32)}`, rows[0].count, payer.chain.intentKey(name), freshAddress(NETWORK), usdc * USDC],
  );
}

const paidBy = (reference: string) => ({ network: NETWORK, reference }) as const;
const ofPurchase = (purpose: 'payout' | 'refund', reference: string) => payoutIdFor({ purpose, subjectId: '', paidBy: paidBy(reference) });
const ofSurplus = (reference: string) =>
  payoutIdFor({ purpose: 'surplus', subjectId: surplusSubjectOf(paidBy(reference), payer.address, 0) });
const depositOf = (reference: string) => depositIdOf(payer.chain.caip2, reference);

test('B08: after a restore a transfer whose payout left buys a purchase of at least that price, and no deposit of Earn', async () => {
  const reference = await pay(5n);
  await leave(ofPurchase('payout', reference), 4n);
  assert.equal(await asks(reference, 5n, { purpose: 'earn_deposit' }), 'payment_already_used');
  assert.equal(await asks(reference, 3n), 'payment_already_used');
  assert.equal(await asks(reference, 4n), 'granted');
});

test('B08: after a restore a transfer that was refunded buys nothing, so that no provider works for it', async () => {
  const reference = await pay(5n);
  await leave(ofPurchase('refund', reference), 5n);
  for (const more of [{}, { purpose: 'registration' as const }, { purpose: 'earn_deposit' as const }])
    assert.equal(await asks(reference, 5n, more), 'payment_already_used');
});

test('B08: after a restore a transfer that became a deposit of Earn, or was refunded from there, buys nothing else', async () => {
  const [deployed, refunded] = [await pay(5n), await pay(5n)];
  await leave(intentIdOf('deposit', depositOf(deployed), 1), 5n);
  await leave(payoutIdFor({ purpose: 'earn_refund', subjectId: depositOf(refunded) }), 5n);
  for (const reference of [deployed, refunded]) {
    assert.equal(await asks(reference, 5n), 'payment_already_used');
    assert.equal(await asks(reference, 5n, { purpose: 'earn_deposit', subjectId: depositOf(reference) }), 'granted');
  }
});

test('B02: after a restore a transfer whose surplus left is claimed with that surplus only', async () => {
  const reference = await pay(8n);
  await leave(ofSurplus(reference), 3n);
  assert.equal(await asks(reference, 6n), 'payment_already_used');
  assert.equal(await asks(reference, 5n), 'granted');
});

test('B02: after a restore one transfer that returned the surplus of two covers both', async () => {
  const [first, second] = [await pay(8n), await pay(9n)];
  // An unclaimed transfer is in the books, too.
  assert.equal(await asks(second, 20n), 'payment_underpaid');
  await leave(ofSurplus(first), 7n);
  assert.equal(await asks(first, 5n), 'granted');
  assert.equal(await asks(second, 6n), 'payment_already_used');
  assert.equal(await asks(second, 5n), 'granted');
});

test('B08: after a restore outflows for other transfers refuse nothing', async () => {
  const [reference, other] = [await pay(5n), await pay(5n)];
  await leave(ofPurchase('refund', other), 5n);
  assert.equal(await asks(reference, 5n, { purpose: 'earn_deposit' }), 'granted');
});
