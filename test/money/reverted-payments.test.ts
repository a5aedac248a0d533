/** A payment reverted by its chain leaves the books, and returns when the chain includes it again. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { encodeFunctionData, erc20Abi, type Hex } from 'viem';
import { runAudit } from '../../packages/server/src/features/audit/index.ts';
import { readBalance, unmatched } from '../../packages/server/src/features/ledger/index.ts';
import { isPaymentReverted, watchChains } from '../../packages/server/src/features/payments/index.ts';
import { openMarket, type TestMarket, withOwnChains } from '../harness/market.ts';
import { createPayer, type EvmPayer, freshAddress, untilLanded } from '../harness/payers.ts';
import { chainOf, type Money, openMoney, outcomeOf, requestFor, requireSound, USDC, until } from './money.ts';

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

/** Pays until confirmed, presents it, and has the chain revert it; returns the signed transaction, to be sent again. */
async function payAndTakeBack(payer: EvmPayer, expectedMicros: bigint) {
  const { chain } = payer;
  return await until('a payment that is taken back', async () => {
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [chain.treasury as Hex, 6n * USDC] });
    const prepared = await payer.wallet.prepareTransactionRequest({ to: chain.usdcAddress as Hex, data, gas: 200_000n });
    const raw = await payer.wallet.signTransaction(prepared);
    const reference = await payer.wallet.sendRawTransaction({ serializedTransaction: raw });
    await untilLanded(chain, reference, 'confirmed');
    const request = requestFor(money, chain.network, reference, { expectedMicros });
    const outcome = await outcomeOf(money, request);
    await market.localChains?.setFault({ network: chain.network, mode: 'reorg' });
    return (await chain.readReceipt(reference)).state === 'missing' ? { raw, reference, request, outcome } : undefined;
  });
}

async function finalityOf(reference: string): Promise<string | undefined> {
  const row = await money.database.db.selectFrom('chainReceipts').select('finality').where('reference', '=', reference).executeTakeFirst();
  return row?.finality;
}

async function eventsAbout(subjectId: string) {
  return await money.database.db.selectFrom('events').select(['type', 'data']).where('subjectId', '=', subjectId).orderBy('id').execute();
}

async function resend(payer: EvmPayer, raw: Hex, reference: string): Promise<void> {
  await payer.wallet.sendRawTransaction({ serializedTransaction: raw });
  await untilLanded(payer.chain, reference, 'final');
}

for (const [what, network, expectedMicros, first] of [
  ['that nobody claimed', 'base-mainnet', 7n * USDC, 'payment_underpaid'],
  ['that was claimed', 'base-mainnet', 6n * USDC, 'granted'],
  ['that nobody claimed', 'alt-mainnet', 7n * USDC, 'payment_underpaid'],
  ['that was claimed', 'alt-mainnet', 6n * USDC, 'granted'],
] as const) {
  test(`C07: a payment ${what} on ${network} is marked gone after two misses, and restored when its chain includes it again`, async () => {
    const payer = (await createPayer(market, network)) as EvmPayer;
    // The payer's money must be final, out of reach of the reorganisation.
    await payer.pay(freshAddress(network), 1n, 'final');
    const { raw, reference, request, outcome } = await payAndTakeBack(payer, expectedMicros);
    assert.equal(outcome, first);

    await watchChains(money);
    assert.equal(await finalityOf(reference), 'confirmed', 'one look that misses it proves nothing');
    await money.clock.advance(10);
    await watchChains(money);
    assert.equal(await finalityOf(reference), 'gone');
    const claimed = first === 'granted';
    assert.equal(await isPaymentReverted(money.database.db, request.subjectId), claimed);
    if (claimed) {
      const broken = (await runAudit(money.database, money.chains)).findings.find(({ id }) => id === 'P02');
      assert.deepEqual(
        broken?.rows.map((row) => row['subjectId']),
        [request.subjectId],
      );
    } else {
      assert.equal(await readBalance(money.database.db, unmatched(network, reference)), 0n);
      await requireSound(money);
    }

    await resend(payer, raw, reference);
    await watchChains(money);
    assert.equal(await finalityOf(reference), 'final');
    assert.equal(await isPaymentReverted(money.database.db, request.subjectId), false);
    const subjectId = claimed ? request.subjectId : `${chainOf(money, network).caip2}/${reference}`;
    const data = { network: network, reference, purpose: claimed ? 'order' : null };
    assert.deepEqual((await eventsAbout(subjectId)).slice(-2), [
      { type: 'payment.reverted', data },
      { type: 'payment.restored', data },
    ]);
    await requireSound(money);
    if (!claimed) assert.equal(await outcomeOf(money, { ...request, expectedMicros: 6n * USDC }), 'granted');
    await requireSound(money);
  });
}
