/** A payment reverted by its chain freezes its order and its deadlines; both continue when the chain includes it again. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { encodeFunctionData, erc20Abi, type Hex } from 'viem';
import type { ServerProcess } from '../harness/market.ts';
import { freshAddress, untilLanded } from '../harness/payers.ts';
import { requireSound, USDC, until } from '../money/money.ts';
import { openSharedMoney, type SharedMoney } from '../money/shared-money.ts';
import { buyerDoes, deliver, openTrade, placeOrder, submitPayment, type Trade } from './many-orders.ts';
import { goPast, momentOf, passTime, readStatus, untilStatus } from './market-time.ts';

const networks = ['base-mainnet', 'alt-mainnet'] as const;

interface Shaky {
  readonly trade: Trade;
  readonly orderId: string;
  readonly raw: Hex;
  readonly reference: string;
}

suite('a payment reverted by its chain', () => {
  let shared: SharedMoney;
  let server: ServerProcess;
  let trades: readonly Trade[];
  before(async () => {
    shared = await openSharedMoney({ ownChains: true, hosted: true });
    server = await shared.startServer();
    trades = await Promise.all(networks.map((network) => openTrade(shared, server.url, { network })));
    // The payers' money must be final, out of reach of the reorganisation.
    await Promise.all(trades.map(({ payer }) => payer.pay(freshAddress(payer.chain.network), 1n, 'final')));
  });
  after(() => shared.close());

  /** An order delivered on a payment that the chain then reverts. Tries a new payment if the chain made it final first. */
  async function openOnShakyGround(trade: Trade): Promise<Shaky> {
    const { wallet, chain } = trade.payer;
    return await until('a payment that is taken back', async () => {
      const orderId = await placeOrder(server.url, trade);
      const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [chain.treasury as Hex, USDC] });
      const prepared = await wallet.prepareTransactionRequest({ to: chain.usdcAddress as Hex, data, gas: 200_000n });
      const raw = await wallet.signTransaction(prepared);
      const reference = await wallet.sendRawTransaction({ serializedTransaction: raw });
      await untilLanded(chain, reference, 'confirmed');
      assert.equal((await submitPayment(server.url, trade, orderId, reference)).status, 200);
      await shared.localChains.setFault({ network: chain.network, mode: 'reorg' });
      if ((await chain.readReceipt(reference)).state !== 'missing') return undefined;
      return { trade, orderId, raw, reference };
    });
  }

  async function untilFinality(reference: string, finality: string): Promise<void> {
    await until(`${reference} being ${finality}`, async () => {
      const { rows } = await shared.database.pool.query('select finality from chain_receipts where reference = $1', [reference]);
      return rows[0]?.finality === finality ? true : undefined;
    });
  }

  async function requireFrozen({ trade, orderId }: Shaky): Promise<void> {
    for (const [action, fields] of [
      ['approve', {}],
      ['dispute', {}],
      ['revision', { feedback: 'Once more.' }],
    ] as const) {
      const { status, body } = await buyerDoes(server.url, trade, orderId, action, fields);
      assert.deepEqual([status, body['code']], [400, 'payment_reverted'], action);
    }
    assert.equal((await deliver(server.url, trade, orderId)).body['code'], 'payment_reverted');
  }

  async function untilTimerLooked(orderId: string): Promise<void> {
    await until('the timer having looked', async () => {
      const { rowCount } = await shared.database.pool.query(
        `select 1 from jobs where kind = 'order.timer' and payload->>'order_id' = $1 and payload->>'command' = 'auto_release' and run_at <= market_now()`,
        [orderId],
      );
      return rowCount === 0 ? true : undefined;
    });
  }

  test('C07: a reverted payment freezes its order until it is restored; the due release follows', async () => {
    const shaky = await Promise.all(trades.map(openOnShakyGround));
    for (const { trade, orderId } of shaky) {
      assert.equal((await deliver(server.url, trade, orderId)).status, 200, 'one look that misses it proves nothing');
    }
    await passTime(shared, 10);
    for (const { reference } of shaky) await untilFinality(reference, 'gone');
    for (const one of shaky) await requireFrozen(one);
    // The last order delivered is the last one due.
    const deadline = await goPast(shared, shaky.at(-1)?.orderId ?? '', 'review_deadline');
    await passTime(shared, 60);
    for (const { orderId } of shaky) {
      await untilTimerLooked(orderId);
      assert.equal(await readStatus(shared, orderId), 'delivered', 'nothing is released on money that is not there');
    }

    for (const { trade, raw } of shaky) await trade.payer.wallet.sendRawTransaction({ serializedTransaction: raw });
    for (const { reference } of shaky) await untilFinality(reference, 'final');
    await passTime(shared, 31);
    for (const { trade, orderId } of shaky) {
      await untilStatus(shared, orderId, 'completed');
      assert.ok((await momentOf(shared, orderId, 'auto_release')) > deadline);
      await until('the payout', async () =>
        (await trade.payer.chain.readBalances(trade.provider.owner.address)).usdcMicros === (USDC * 9n) / 10n ? true : undefined,
      );
    }
    await requireSound(shared.money);
  });
});
