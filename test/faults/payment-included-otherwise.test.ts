/** A reorganisation includes a payment again with another amount. What was bought with the first amount does not count as paid. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { runAudit } from '../../packages/server/src/features/audit/index.ts';
import { readBalance, surplusPayable, unmatched } from '../../packages/server/src/features/ledger/index.ts';
import { areReceiptsFinal, isPaymentReverted, watchChains } from '../../packages/server/src/features/payments/index.ts';
import { openMarket, type TestMarket, withOwnChains } from '../harness/market.ts';
import { createPayer, type EvmPayer, untilLanded } from '../harness/payers.ts';
import { isThorough, THOROUGH_ONLY } from '../harness/thoroughness.ts';
import { type Money, openMoney, outcomeOf, requestFor, requireSound, USDC } from '../money/money.ts';
import { type Later, openContract, paidLater, payAndTakeBack } from './changing-payments.ts';

const NETWORK = 'base-mainnet';
const PRICE = 6n * USDC;
let market: TestMarket;
let money: Money;

before(async () => {
  // The service's own watcher is off: the test runs it at its own times.
  market = await openMarket({ ...withOwnChains, JOBS: 'off' });
  money = await openMoney(market);
});
after(async () => {
  money.clock.stop();
  await market.close();
});

const openPayer = async () => (await createPayer(market, NETWORK, 5_000n * USDC)) as EvmPayer;

async function look(): Promise<void> {
  await watchChains(money);
  await money.clock.advance(10);
  await watchChains(money);
}

async function receiptOf(reference: string) {
  const { db } = money.database;
  return await db.selectFrom('chainReceipts').selectAll().where('reference', '=', reference).executeTakeFirstOrThrow();
}

async function isPaid(subjectId: string): Promise<boolean> {
  const { db } = money.database;
  return (await areReceiptsFinal(db, { subjectId })) && !(await isPaymentReverted(db, subjectId));
}

/** Returns the purchase that is no longer paid, which the audit must name. */
async function includeLess(later: Later, isNoticed: boolean): Promise<string> {
  const owner = await openPayer();
  const contract = await openContract(owner, later);
  const { reference, request, include } = await payAndTakeBack(market, money, owner, contract, PRICE);
  if (isNoticed) {
    await look();
    assert.equal(await isPaymentReverted(money.database.db, request.subjectId), true);
  }
  await include();
  const reading = await owner.chain.readReceipt(reference);
  assert.ok(reading.state === 'landed' && reading.receipt.receivedMicros === paidLater[later](PRICE));
  await look();
  assert.equal(await isPaid(request.subjectId), false, 'payouts leave for a payment that never arrived');
  assert.equal((await receiptOf(reference)).finality, 'gone');
  // Presenting it again, even by its payer, does not change that.
  assert.equal(await outcomeOf(money, { ...request, subjectId: `${request.subjectId}x` }), 'payment_already_used');
  assert.equal((await receiptOf(reference)).finality, 'gone');
  return request.subjectId;
}

const onlyThorough = { skip: !isThorough && THOROUGH_ONLY };

test(
  'C07: money added to a payment that its chain includes again is owed to its payer, and the purchase is paid',
  onlyThorough,
  async () => {
    const owner = await openPayer();
    const contract = await openContract(owner, 'one micro-USDC more');
    const { reference, request, include } = await payAndTakeBack(market, money, owner, contract, PRICE);
    await include();
    await look();
    assert.equal(await isPaid(request.subjectId), true);
    assert.equal((await receiptOf(reference)).receivedMicros, PRICE + 1n);
    assert.equal(await readBalance(money.database.db, surplusPayable(NETWORK, owner.chain.canonicalAddress(contract) ?? '')), 1n);
    await requireSound(money);
  },
);

test('C07: an unclaimed payment counts with the amount that its chain shows last', onlyThorough, async () => {
  const owner = await openPayer();
  const contract = await openContract(owner, 'one micro-USDC');
  const presented = { expectedMicros: 2n * PRICE, outcome: 'payment_underpaid' } as const;
  const { reference, request, include } = await payAndTakeBack(market, money, owner, contract, PRICE, presented);
  assert.equal(await readBalance(money.database.db, unmatched(NETWORK, reference)), PRICE);
  await include();
  await look();
  assert.equal((await receiptOf(reference)).receivedMicros, 1n);
  assert.equal(await readBalance(money.database.db, unmatched(NETWORK, reference)), 1n);
  assert.equal(await outcomeOf(money, { ...request, expectedMicros: PRICE }), 'payment_underpaid');
  await requireSound(money);
});

test('C07: a receipt that cannot be followed does not stop others of its chain from being followed', async () => {
  const payer = await openPayer();
  const pay = async () => {
    const reference = await payer.pay(payer.chain.treasury, PRICE, 'confirmed');
    assert.equal(await outcomeOf(money, requestFor(money, NETWORK, reference, { expectedMicros: PRICE })), 'granted');
    return reference;
  };
  const [bad, good] = [await pay(), await pay()];
  await untilLanded(payer.chain, good, 'final');
  await money.database.pool.query(`
    create function fail_here() returns trigger language plpgsql as $$ begin raise 'this row is bad'; end $$;
    create trigger fail_here before update on chain_receipts for each row when (old.reference = '${bad}') execute function fail_here()`);
  await assert.rejects(watchChains(money), /cannot be followed/);
  assert.deepEqual([(await receiptOf(bad)).finality, (await receiptOf(good)).finality], ['confirmed', 'final']);
  await money.database.pool.query('drop trigger fail_here on chain_receipts');
  await watchChains(money);
  assert.equal((await receiptOf(bad)).finality, 'final');
});

// From here on the books hold payments that never arrived.
test('C07: a claimed payment that its chain includes again without the money is not paid', async () => {
  const lost = await includeLess('nothing', false);
  const { findings } = await runAudit(money.database, money.chains);
  const names = findings.find(({ id }) => id === 'P02')?.rows.map((row) => row['subjectId']);
  assert.deepEqual(names, [lost]);
  assert.equal(
    findings.find(({ id }) => id === 'P08'),
    undefined,
  );
});

for (const [later, isNoticed] of [
  ['nothing', true],
  ['one micro-USDC', false],
  ['one micro-USDC', true],
] as const) {
  const when = isNoticed ? 'after it was gone' : 'before anybody noticed';
  test(`C07: a claimed payment that its chain includes again with ${later} is not paid, ${when}`, {
    skip: !isThorough && THOROUGH_ONLY,
  }, async () => {
    await includeLess(later, isNoticed);
  });
}
