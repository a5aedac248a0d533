/** A payment that its chain takes back freezes its order, deadlines included; when the chain includes it again, everything goes on. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { encodeFunctionData, erc20Abi, type Hex } from 'viem';
import type { ServerProcess } from '../harness/market.ts';
import { freshAddress, untilLanded } from '../harness/payers.ts';
import { chainOf, requireSound, USDC, until } from '../money/money.ts';
import { openSharedMoney, type SharedMoney } from '../money/shared-money.ts';
import { buyerDoes, deliver, openTrade, placeOrder, type Trade, tellPayment } from './many-orders.ts';
import { goPast, momentOf, passTime, readStatus, untilStatus } from './market-time.ts';

const NETWORK = 'base-mainnet';

suite('a payment taken back', () => {
  let shared: SharedMoney;
  let server: ServerProcess;
  let trade: Trade;
  before(async () => {
    shared = await openSharedMoney();
    server = await shared.startServer();
    trade = await openTrade(shared, server.url);
    // What funds the payer must be beyond the reach of the reorganisation.
    await trade.payer.pay(freshAddress(NETWORK), 1n, 'final');
  });
  after(() => shared.close());

  /** An order delivered on a payment that is then taken back. Again with a new one where the chain was faster. */
  async function openOnShakyGround(): Promise<{ orderId: string; raw: Hex; reference: string }> {
    const chain = chainOf(shared, NETWORK);
    const { wallet } = trade.payer;
    return await until('a payment that is taken back', async () => {
      const orderId = await placeOrder(server.url, trade);
      const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [chain.treasury as Hex, USDC] });
      const prepared = await wallet.prepareTransactionRequest({ to: chain.usdcAddress as Hex, data, gas: 200_000n });
      const raw = await wallet.signTransaction(prepared);
      const reference = await wallet.sendRawTransaction({ serializedTransaction: raw });
      await untilLanded(chain, reference, 'confirmed');
      assert.equal((await tellPayment(server.url, trade, orderId, reference)).status, 200);
      await shared.localChains.setFault({ network: NETWORK, mode: 'reorg' });
      if ((await chain.readReceipt(reference)).state !== 'missing') return undefined;
      return { orderId, raw, reference };
    });
  }

  async function untilFinality(reference: string, finality: string): Promise<void> {
    await until(`${reference} being ${finality}`, async () => {
      const { rows } = await shared.database.pool.query('select finality from chain_receipts where reference = $1', [reference]);
      return rows[0]?.finality === finality ? true : undefined;
    });
  }

  test('C07: freezes the order until it is there again; then the release that was due comes', async () => {
    const { orderId, raw, reference } = await openOnShakyGround();
    assert.equal((await deliver(server.url, trade, orderId)).status, 200, 'one look that misses it proves nothing');
    await passTime(shared, 10);
    await untilFinality(reference, 'gone');

    for (const [action, fields] of [
      ['approve', {}],
      ['dispute', {}],
      ['revision', { feedback: 'Once more.' }],
    ] as const) {
      const { status, body } = await buyerDoes(server.url, trade, orderId, action, fields);
      assert.deepEqual([status, body['code']], [400, 'payment_reverted'], action);
    }
    assert.equal((await deliver(server.url, trade, orderId)).body['code'], 'payment_reverted');
    const deadline = await goPast(shared, orderId, 'review_deadline');
    await passTime(shared, 60);
    await until('the timer having looked', async () => {
      const { rowCount } = await shared.database.pool.query(
        `select 1 from jobs where kind = 'order.timer' and payload->>'order_id' = $1 and payload->>'command' = 'auto_release' and run_at <= market_now()`,
        [orderId],
      );
      return rowCount === 0 ? true : undefined;
    });
    assert.equal(await readStatus(shared, orderId), 'delivered', 'nothing is released on money that is not there');

    await trade.payer.wallet.sendRawTransaction({ serializedTransaction: raw });
    await untilFinality(reference, 'final');
    await passTime(shared, 31);
    await untilStatus(shared, orderId, 'completed');
    assert.ok((await momentOf(shared, orderId, 'auto_release')) > deadline);
    const chain = chainOf(shared, NETWORK);
    await until('the payout', async () =>
      (await chain.readBalances(trade.provider.owner.address)).usdcMicros === (USDC * 9n) / 10n ? true : undefined,
    );
    await requireSound(shared.money);
  });
});
