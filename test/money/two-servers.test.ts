/** Two server processes share one treasury key: they never use one nonce twice and never pay twice. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { NetworkName } from '@market/contract';
import { escrow } from '../../packages/server/src/features/ledger/index.ts';
import { queuePayout } from '../../packages/server/src/features/payouts/index.ts';
import { createPayer, freshAddress } from '../harness/payers.ts';
import { times } from '../harness/thoroughness.ts';
import { chainOf, requireSound, USDC, until } from './money.ts';
import { payForOrder } from './outgoing.ts';
import { openSharedMoney, type SharedMoney } from './shared-money.ts';

const PAYOUTS: readonly (readonly [NetworkName, number])[] = [
  ['base-mainnet', times(20, 80)],
  ['alt-mainnet', times(10, 60)],
  ['solana-mainnet', times(10, 60)],
];
const COUNT = PAYOUTS.reduce((sum, [, count]) => sum + count, 0);

suite(`${COUNT} payouts on two servers`, () => {
  let shared: SharedMoney;
  before(async () => {
    shared = await openSharedMoney();
  });
  after(() => shared.close());

  /** One order pays for all; each payout has its own destination and amount. */
  async function queueMany(network: NetworkName, count: number): Promise<void> {
    const { money } = shared;
    const amounts = Array.from({ length: count }, (_, index) => USDC / 10n + BigInt(index));
    const total = amounts.reduce((sum, amount) => sum + amount, 0n);
    const order = await payForOrder(money, await createPayer(shared, network), total);
    await money.database.transaction(async (tx) => {
      for (const [index, amountMicros] of amounts.entries()) {
        const request = { purpose: 'payout', subjectId: `${order}_${index}`, network, destination: freshAddress(network) } as const;
        await queuePayout(tx, { ...request, amountMicros, from: escrow(network, order) });
      }
    });
  }

  test(`C05: ${COUNT} payouts on two servers make ${COUNT} transfers of the exact amounts, and the books are sound`, async () => {
    const { money } = shared;
    const { db } = money.database;
    for (const [network, count] of PAYOUTS) await queueMany(network, count);
    const servers = await Promise.all([shared.startServer(), shared.startServer()]);
    await until(
      'all payouts being confirmed',
      async () => {
        const open = await db.selectFrom('payouts').select('id').where('state', '!=', 'confirmed').execute();
        return open.length === 0 ? true : undefined;
      },
      150,
    );
    const payouts = await db.selectFrom('payouts').selectAll().execute();
    assert.equal(payouts.length, COUNT);
    assert.equal(new Set(payouts.map(({ reference }) => reference)).size, COUNT);
    for (const { network, destination, amountMicros } of payouts) {
      assert.equal((await chainOf(money, network as NetworkName).readBalances(destination)).usdcMicros, amountMicros);
    }
    await requireSound(money);
    for (const server of servers) assert.equal(server.child.exitCode, null, server.log());
  });
});
