/**
 * Lost books signed a payout, and somebody sent its authorisation in one transaction with a small payment to the treasury. The payment is
 * booked in full, so the payout beside it must be found by its own name: the receipt of the same transaction explains nothing.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Hex } from 'viem';
import { parseTransaction } from 'viem/utils';
import { authorize, sendTogether } from '../../packages/server/testing/evm-test-chain.ts';
import { createPayer, untilLanded } from '../harness/payers.ts';
import { chainOf, requireSound, USDC } from '../money/money.ts';
import { payForOrder, queueOutgoing } from '../money/outgoing.ts';
import { openSharedMoney, type SharedMoney } from '../money/shared-money.ts';
import { readReason, reconcile, startCompared } from './restored-stage.ts';

const NETWORK = 'base-mainnet';

let shared: SharedMoney;
before(async () => {
  shared = await openSharedMoney({ ownChains: true, hosted: true });
});
after(() => shared.close());

test('B08: market reconcile finds a payout of lost books whose authorisation was sent beside a payment to the treasury', async () => {
  const { money } = shared;
  const chain = chainOf(shared, NETWORK);
  const first = await startCompared(shared);
  const subjectId = await payForOrder(money, await createPayer(shared, NETWORK), 50n * USDC);
  // Money of others, in escrow.
  await payForOrder(money, await createPayer(shared, NETWORK), 100n * USDC);
  await first.kill('SIGTERM');
  const thief = await createPayer(shared, NETWORK);
  assert.ok(thief.kind === 'evm');
  const backup = await shared.backUpBooks();

  // The lost books pay the thief for the order. The thief sends their signed bytes first, with a cent of its own.
  const { address: destination } = thief;
  const payout = await queueOutgoing(money, { purpose: 'payout', network: NETWORK, subjectId, amountMicros: 50n * USDC, destination });
  const { bytes } = await chain.signTransfer({ intentId: payout.id, destination, asset: 'usdc', amount: payout.amountMicros });
  const signed = parseTransaction(`0x${Buffer.from(bytes, 'base64').toString('hex')}`).data;
  assert.ok(signed);
  const reference = await sendTogether(thief.wallet as never, [
    signed,
    await authorize(thief.wallet as never, chain.treasury as Hex, 10_000n),
  ]);
  await untilLanded(chain, reference, 'final');
  assert.equal((await chain.readBalances(destination)).usdcMicros, 10_050n * USDC - 10_000n, 'the thief was paid');
  await backup.restore();

  const { code, output } = await reconcile(shared);
  const { rows } = await shared.database.pool.query('select reference, intent_key from unbooked_outflows');
  assert.deepEqual(rows, [{ reference, intent_key: chain.intentKey(payout.id) }], output);
  assert.equal(code, 0, output);
  assert.equal(await readReason(shared), null);
  await requireSound(money);
});
