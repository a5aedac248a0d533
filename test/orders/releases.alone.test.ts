/** A thousand reviews that end at the same moment (an everyday run: a hundred) are settled within a minute by one busy process. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { ServerProcess } from '../harness/market.ts';
import { times } from '../harness/thoroughness.ts';
import { requireSound, until } from '../money/money.ts';
import { openSharedMoney, type SharedMoney } from '../money/shared-money.ts';
import { openOrders, openTrade } from './many-orders.ts';
import { DAY, passTime } from './market-time.ts';

const ORDERS = times(100, 1_000);
const LIMIT_SECONDS = times(20, 60);

suite(`${ORDERS} delivered orders without review`, () => {
  let shared: SharedMoney;
  let server: ServerProcess;
  before(async () => {
    shared = await openSharedMoney({ ownChains: true });
    server = await shared.startServer();
    // Two networks and four providers, like a market with several customers.
    await Promise.all(
      (['base-mainnet', 'alt-mainnet', 'base-mainnet', 'alt-mainnet'] as const).map(async (network) => {
        const trade = await openTrade(shared, server.url, { network });
        await openOrders(shared, server.url, trade, ORDERS / 4, 'delivered');
      }),
    );
    await requireSound(shared.money);
  });
  after(() => shared.close());

  async function countOrders(status: string): Promise<number> {
    const { rows } = await shared.database.pool.query('select count(*)::int as count from orders where status = $1', [status]);
    return rows[0].count;
  }

  test(`${ORDERS} delivered orders are released within ${LIMIT_SECONDS} s of their deadline, each once, and the books are sound`, async (context) => {
    assert.equal(await countOrders('delivered'), ORDERS);
    await passTime(shared, 2 * DAY);
    const from = performance.now();
    await until('every release', async () => ((await countOrders('completed')) === ORDERS ? true : undefined), LIMIT_SECONDS);
    const seconds = (performance.now() - from) / 1000;
    context.diagnostic(`${ORDERS} releases in ${seconds.toFixed(1)} s, ${Math.round(ORDERS / seconds)} a second`);

    const { rows } = await shared.database.pool.query(
      `select (select count(*) from settlements where outcome = 'payout')::int as settled,
              (select count(*) from payouts where purpose = 'payout')::int as payouts,
              (select count(*) from order_steps where command = 'auto_release')::int as releases`,
    );
    assert.deepEqual(rows, [{ settled: ORDERS, payouts: ORDERS, releases: ORDERS }]);
    await requireSound(shared.money);
    assert.equal(server.child.exitCode, null, server.log());
  });
});
