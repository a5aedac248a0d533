/** Reviews that all end at the same moment, settled by one process that does everything else as well. */
import assert from 'node:assert/strict';
import { requireSound, until } from '../money/money.ts';
import { openSharedMoney } from '../money/shared-money.ts';
import { openOrders, openTrade } from './many-orders.ts';
import { DAY, passTime } from './market-time.ts';

/** Two networks and four providers: a market and not one customer. */
const TRADES = ['base-mainnet', 'alt-mainnet', 'base-mainnet', 'alt-mainnet'] as const;

/** Seconds until the last of so many orders, delivered and not looked at, is released; each is released once, and the books are sound. */
export async function releaseMany(count: number, limitSeconds: number): Promise<number> {
  const shared = await openSharedMoney();
  try {
    const server = await shared.startServer();
    await Promise.all(
      TRADES.map(async (network) => {
        const trade = await openTrade(shared, server.url, { network });
        await openOrders(shared, server.url, trade, count / TRADES.length, 'delivered');
      }),
    );
    const countOrders = async (status: string): Promise<number> => {
      const { rows } = await shared.database.pool.query('select count(*)::int as count from orders where status = $1', [status]);
      return rows[0].count;
    };
    await requireSound(shared.money);
    assert.equal(await countOrders('delivered'), count);

    await passTime(shared, 2 * DAY);
    const from = performance.now();
    await until('every release', async () => ((await countOrders('completed')) === count ? true : undefined), limitSeconds);
    const seconds = (performance.now() - from) / 1000;

    const { rows } = await shared.database.pool.query(
      `select (select count(*) from settlements where outcome = 'payout')::int as settled,
              (select count(*) from payouts where purpose = 'payout')::int as payouts,
              (select count(*) from order_steps where command = 'auto_release')::int as releases`,
    );
    assert.deepEqual(rows, [{ settled: count, payouts: count, releases: count }]);
    await requireSound(shared.money);
    assert.equal(server.child.exitCode, null, server.log());
    return seconds;
  } finally {
    await shared.close();
  }
}
