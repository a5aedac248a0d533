/** kill -9 during order commands: the order is unchanged, and a retry runs the command once. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { Reply } from '../harness/http.ts';
import type { ServerProcess, Settings } from '../harness/market.ts';
import { isThorough, THOROUGH_ONLY } from '../harness/thoroughness.ts';
import { requireSound, USDC, until } from '../money/money.ts';
import { openSharedMoney, type SharedMoney } from '../money/shared-money.ts';
import {
  buyerDoes,
  type EvmNetwork,
  inTurns,
  openOrders,
  openTrade,
  placeOrder,
  sendPayments,
  submitPayment,
  type Trade,
} from '../orders/many-orders.ts';
import { DAY, passTime } from '../orders/market-time.ts';
import { forgetLeases, hasEnded } from './crash-lab.ts';
import { pointsToDieAt } from './crash-points.ts';

/** A command on orders, the network of their payment, and the crash points of the process. */
interface Case {
  readonly command: 'pay' | 'approve' | 'cancel';
  readonly network: EvmNetwork;
  readonly points: readonly string[];
}
const everyCase: readonly Case[] = [
  {
    command: 'pay',
    network: 'alt-mainnet',
    points: pointsToDieAt(['claim.before_commit', 'order.after_step', 'order.before_commit'], ['order.before_commit']),
  },
  {
    command: 'approve',
    network: 'base-mainnet',
    points: pointsToDieAt(['settle.after_post', 'order.after_step', 'order.before_commit'], ['settle.after_post']),
  },
  { command: 'cancel', network: 'alt-mainnet', points: pointsToDieAt(['settle.after_post'], []) },
];
const cases = everyCase.filter(({ points }) => points.length > 0);
const networks = ['base-mainnet', 'alt-mainnet'] as const;
/** Several orders are due when the process starts; it dies at the second. */
const RELEASE_POINTS = ['order.before_commit:2', 'settle.after_post:2', 'timer.before_commit:2'];
const RELEASES = isThorough ? 6 : 0;
const APPROVALS = cases.filter(({ command }) => command === 'approve').flatMap(({ points }) => [...points]).length;
const DEATHS_AT_ONCE = 2;

interface Hanging {
  readonly orderId: string;
  give(url: string): Promise<Reply>;
}

suite('a process that crashes during an order command', () => {
  let shared: SharedMoney;
  let desk: ServerProcess;
  let trades: Record<EvmNetwork, Trade>;
  let funded: Record<EvmNetwork, bigint>;
  before(async () => {
    // Only releases need chains whose time moves.
    shared = await openSharedMoney({ ownChains: isThorough, hosted: true });
    // Serves requests without jobs, so that only the process under test reaches the crash points.
    desk = await shared.startServer({ JOBS: 'off' });
    const [base, alt] = await Promise.all(networks.map((network) => openTrade(shared, desk.url, { network })));
    assert.ok(base && alt);
    trades = { 'base-mainnet': base, 'alt-mainnet': alt };
    funded = { 'base-mainnet': await holds(base.payer), 'alt-mainnet': await holds(alt.payer) };
  });
  after(() => shared.close());

  const holds = async ({ chain, address }: Pick<Trade['payer'], 'chain' | 'address'>): Promise<bigint> =>
    (await chain.readBalances(address)).usdcMicros;

  /** One order for each crash point, one command away from it. */
  async function prepare({ command, network, points }: Case): Promise<Hanging[]> {
    const { length } = points;
    const trade = trades[network];
    if (command !== 'pay') {
      const orders = await openOrders(shared, desk.url, trade, length, command === 'approve' ? 'delivered' : 'paid');
      return orders.map((orderId) => ({ orderId, give: (url) => buyerDoes(url, trade, orderId, command) }));
    }
    const references = await sendPayments(shared, trade, length);
    return await inTurns(references, length, async (reference) => {
      const orderId = await placeOrder(desk.url, trade);
      return { orderId, give: (url) => submitPayment(url, trade, orderId, reference) };
    });
  }

  /** Every row about an order. */
  async function readTraces(orderId: string): Promise<Record<string, unknown>> {
    const { rows } = await shared.database.pool.query(
      `select status, updated_at,
              (select count(*)::int from order_steps where order_id = o.id) as steps,
              (select count(*)::int from settlements where order_id = o.id) as settlements,
              (select count(*)::int from payouts where subject_id = o.id) as payouts,
              (select count(*)::int from payment_claims where subject_id = o.id) as claims,
              (select count(*)::int from events where subject_id = o.id) as events,
              (select count(*)::int from jobs where payload->>'order_id' = o.id) as timers,
              (select coalesce(sum(balance_micros), 0)::int from ledger_accounts where owner = o.id) as held
       from orders o where id = $1`,
      [orderId],
    );
    assert.ok(rows[0]);
    return rows[0];
  }

  async function startDoomed(point: string, settings: Settings): Promise<ServerProcess | undefined> {
    return await shared.startServer({ CRASH_AT: point, ...settings }).catch((error: Error) => {
      // A signal has no exit code; any other reason why it did not start fails the test.
      assert.match(error.message, /ended with null before it was ready/, point);
      return undefined;
    });
  }

  for (const hung of cases) {
    const { command, network, points } = hung;
    test(`a crash at ${points.join(', ')} during ${command} on ${network} leaves the order unchanged; a retry runs it once`, async () => {
      const orders = await prepare(hung);
      await inTurns(points, DEATHS_AT_ONCE, async (point, index) => {
        const order = orders[index];
        assert.ok(order);
        await dieOver(order, command, point);
      });
    });
  }

  async function dieOver({ orderId, give }: Hanging, command: string, point: string): Promise<void> {
    const what = `${command} at ${point}`;
    const before = await readTraces(orderId);
    const doomed = await startDoomed(point, { JOBS: 'off' });
    assert.ok(doomed, what);
    await assert.rejects(give(doomed.url), TypeError, `${what}: there was an answer`);
    await until(`${what}: death`, async () => (hasEnded(doomed) ? true : undefined));
    assert.equal(doomed.child.signalCode, 'SIGKILL', `${what}: ${doomed.log()}`);
    assert.deepEqual(await readTraces(orderId), before, what);

    const again = await give(desk.url);
    assert.equal(again.status, 200, `${what}: ${JSON.stringify(again.body)}`);
    const { steps, settlements, payouts, claims } = await readTraces(orderId);
    assert.equal(steps, Number(before['steps']) + 1, what);
    assert.deepEqual([settlements, payouts, claims], command === 'pay' ? [0, 0, 1] : [1, 1, 1], what);
  }

  test('a due release stays due after a crash; the next process releases it once', { skip: !isThorough && THOROUGH_ONLY }, async () => {
    const opened = networks.map((network) => openOrders(shared, desk.url, trades[network], RELEASES / networks.length, 'delivered'));
    const orders = (await Promise.all(opened)).flat();
    await passTime(shared, 2 * DAY);
    for (const point of RELEASE_POINTS) {
      const doomed = await startDoomed(point, {});
      if (doomed !== undefined) await until(`death at ${point}`, async () => (hasEnded(doomed) ? true : undefined));
      if (doomed !== undefined) assert.equal(doomed.child.signalCode, 'SIGKILL', `${point}: ${doomed.log()}`);
      await forgetLeases(shared);
    }
    await shared.startServer();
    for (const orderId of orders) {
      await until(`${orderId} being released`, async () => ((await readTraces(orderId))['status'] === 'completed' ? true : undefined));
      const { steps, settlements, payouts } = await readTraces(orderId);
      assert.deepEqual([steps, settlements, payouts], [4, 1, 1], orderId);
    }
  });

  test('after crashes in order commands everybody was paid exactly once, and the books are sound', async () => {
    if (!isThorough) await shared.startServer();
    let earnedInAll = 0n;
    for (const network of networks) {
      const { rows } = await shared.database.pool.query<{ earned: bigint; spent: bigint }>(
        `select coalesce(sum(agent_micros), 0)::bigint as earned,
                coalesce(sum(paid_micros), 0)::bigint - coalesce(sum(refund_micros), 0)::bigint as spent
         from orders left join settlements on order_id = id where payment_network = $1`,
        [network],
      );
      const { earned, spent } = rows[0] ?? { earned: 0n, spent: 0n };
      earnedInAll += earned;
      const { payer, provider } = trades[network];
      const left = funded[network] - spent;
      await until(`every payout and refund on ${network}`, async () => {
        const [has, kept] = [await holds({ chain: payer.chain, address: provider.owner.address }), await holds(payer)];
        assert.ok(has <= earned && kept <= left, 'somebody was paid twice');
        return has === earned && kept === left ? true : undefined;
      });
    }
    assert.equal(earnedInAll, (BigInt(RELEASES + APPROVALS) * USDC * 9n) / 10n);
    await requireSound(shared.money);
  });
});
