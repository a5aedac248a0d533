/** A treasury is compared with its chain while another process confirms a payout. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { insertAttempt, moveAttempt } from '../../packages/server/src/features/outgoing/attempt-repository.ts';
import { moveIntent } from '../../packages/server/src/features/outgoing/intent-repository.ts';
import { confirmPayout } from '../../packages/server/src/features/payouts/confirm-payout.ts';
import { treasuryHolder } from '../../packages/server/src/features/payouts/index.ts';
import { createPayer } from '../harness/payers.ts';
import { chainOf, USDC, until } from './money.ts';
import { payForOrder, queueOutgoing, readPayout } from './outgoing.ts';
import { openSharedMoney, type SharedMoney } from './shared-money.ts';

const NETWORK = 'base-mainnet';

let shared: SharedMoney;
before(async () => {
  shared = await openSharedMoney({ ownChains: true, hosted: true });
});
after(() => shared.close());

test('C22: a payout that is confirmed during a comparison is no unexplained transfer', async () => {
  const { money } = shared;
  const { database } = money;
  const chain = chainOf(shared, NETWORK);
  const { cursor } = await treasuryHolder(money, chain).compare(null);
  const subjectId = await payForOrder(money, await createPayer(shared, NETWORK), 5n * USDC);
  const payout = await queueOutgoing(money, { purpose: 'payout', network: NETWORK, subjectId, amountMicros: 5n * USDC });
  const signed = await chain.signTransfer({ intentId: payout.id, destination: payout.destination, asset: 'usdc', amount: 5n * USDC });
  const first = { intentId: payout.id, number: 1 };
  // The chain includes the transfer under a reference that the books do not know.
  await database.transaction(async (tx) => {
    await moveIntent(tx, payout.id, ['queued'], { state: 'signed', reason: null });
    await insertAttempt(tx, first, { ...signed, reference: `0x${'ab'.repeat(32)}` });
    await moveIntent(tx, payout.id, ['signed'], { state: 'unknown' });
  });
  await chain.broadcast(signed);
  await until('the transfer', async () => ((await chain.readBalances(payout.destination)).usdcMicros > 0n ? true : undefined));
  const listing = {
    ...chain,
    listOutgoing: async (...asked: Parameters<typeof chain.listOutgoing>) => {
      const page = await chain.listOutgoing(...asked);
      const row = await readPayout(money, payout.id);
      if (page.transfers.length > 0)
        await database.transaction(async (tx) => {
          if (await moveAttempt(tx, first, 'confirmed')) assert.ok(await confirmPayout(tx, money, row, signed.reference));
        });
      return page;
    },
  };
  const { strangers } = await until('the transfer in the list', async () => {
    const compared = await treasuryHolder(money, listing).compare(cursor);
    return (await readPayout(money, payout.id)).state === 'confirmed' ? compared : undefined;
  });
  assert.deepEqual(
    strangers.map(({ reference }) => reference),
    [],
  );
});
