/** Orders that lost books ended and restored books hold open: `market reconcile` ends them as the chain shows. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { act, type Buyer, deliver, listService, openBuyer, openProvider, payOrder, placeOrder, readOrder } from '../harness/orders.ts';
import { chainOf, requireSound, USDC, until } from '../money/money.ts';
import { openSharedMoney, type SharedMoney } from '../money/shared-money.ts';
import { reconcile, startCompared, untilHurried } from './restored-stage.ts';

const NETWORK = 'base-mainnet';

let shared: SharedMoney;
before(async () => {
  shared = await openSharedMoney({ ownChains: true, hosted: true });
});
after(() => shared.close());

const usdcAt = async (address: string) => (await chainOf(shared, NETWORK).readBalances(address)).usdcMicros;

async function untilPaid(address: string, had: bigint): Promise<void> {
  await until('the money', async () => ((await usdcAt(address)) > had ? true : undefined), 120);
}

test('B02: an order that lost books refunded or released is cancelled or completed by market reconcile, and paid once', async () => {
  const first = await startCompared(shared);
  const provider = await openProvider(first.url, NETWORK);
  const service = await listService(first.url, provider, { price_usd: '5.00' });
  const order = async (): Promise<{ readonly id: string; readonly buyer: Buyer }> => {
    const buyer = await openBuyer(shared, NETWORK);
    const id = await placeOrder(first.url, service, buyer);
    await payOrder(first.url, id, buyer, 'final');
    return { id, buyer };
  };
  const [refunded, released, approved, open] = [await order(), await order(), await order(), await order()];
  // The buyer approves after the backup, long before the review would end.
  assert.equal((await deliver(first.url, approved.id, provider)).status, 200);
  await first.kill('SIGTERM');
  const backup = await shared.backUpBooks();

  const lost = await shared.startServer();
  const [buyerHad, providerHad] = [await usdcAt(refunded.buyer.address), await usdcAt(provider.owner.address)];
  assert.equal((await act(lost.url, refunded.id, refunded.buyer, 'cancel')).status, 200);
  assert.equal((await deliver(lost.url, released.id, provider)).status, 200);
  assert.equal((await act(lost.url, released.id, released.buyer, 'approve')).status, 200);
  await untilPaid(refunded.buyer.address, buyerHad);
  assert.equal((await act(lost.url, approved.id, approved.buyer, 'approve')).status, 200);
  await untilPaid(provider.owner.address, providerHad + 4_500_000n);
  await lost.kill('SIGTERM');
  await backup.restore();

  const { code, output } = await reconcile(shared);
  assert.equal(code, 0, output);
  assert.match(output, new RegExp(`${refunded.id} is cancelled`));
  for (const { id } of [released, approved]) assert.match(output, new RegExp(`${id} is completed`));
  const second = await shared.startServer();
  assert.equal((await readOrder(second.url, refunded.id, refunded.buyer)).order.status, 'cancelled');
  for (const { id, buyer } of [released, approved]) assert.equal((await readOrder(second.url, id, buyer)).order.status, 'completed');
  assert.equal((await readOrder(second.url, open.id, open.buyer)).order.status, 'paid', 'no other order is touched');
  assert.equal((await deliver(second.url, refunded.id, provider)).status, 400, 'nobody works on what was refunded');
  await untilHurried(shared, 'the payouts confirmed', async () => {
    const { rows } = await shared.database.pool.query(`select state from payouts where subject_id = any($1)`, [
      [refunded.id, released.id, approved.id],
    ]);
    return rows.length === 3 && rows.every(({ state }) => state === 'confirmed') ? true : undefined;
  });
  assert.equal(await usdcAt(refunded.buyer.address), buyerHad + 5n * USDC);
  assert.equal(await usdcAt(provider.owner.address), providerHad + 9_000_000n);
  await untilHurried(shared, 'both sides being notified', async () => {
    const { rows } = await shared.database.pool.query(
      `select distinct type from notifications where order_id = $1 and body ~ 'had gone back to the wallet that paid' order by type`,
      [refunded.id],
    );
    return String(rows.map(({ type }) => type)) === 'order_cancelled,provider_order_cancelled' ? true : undefined;
  });
  const left = await shared.database.pool.query(`select 1 from unbooked_outflows where intent_id is null`);
  assert.equal(left.rowCount, 0);
  await requireSound(shared.money);
  await second.kill('SIGTERM');
});
