/** Servers with a wrong or jumping clock, in time zones other than UTC. The database clock decides, and times are in UTC. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { after, before, suite, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { call, type Envelope, expectCall } from '../harness/http.ts';
import type { ServerProcess } from '../harness/market.ts';
import { asHeaders, signed, solanaWallet, tokenFor } from '../harness/people.ts';
import { some } from '../harness/thoroughness.ts';
import { requireSound, until } from '../money/money.ts';
import { openSharedMoney, type SharedMoney } from '../money/shared-money.ts';
import { openOrders, openTrade, placeOrder, type Trade } from '../orders/many-orders.ts';
import { goBefore, marketNow, momentOf, readDeadline, readStatus, untilStatus } from '../orders/market-time.ts';

const HOUR_MS = 3_600_000;
const WRONG_CLOCKS = some(
  [
    { hours: 49, zone: 'Asia/Kathmandu', jumps: true },
    { hours: -2, zone: 'America/St_Johns', jumps: true },
    { hours: 49, zone: 'Pacific/Apia', jumps: false },
  ],
  2,
);
const WIRE_TIME = /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/;
const PRELOAD = path.join(import.meta.dirname, 'shift-clock.mjs');

suite('servers with a wrong clock', () => {
  let shared: SharedMoney;
  let servers: readonly ServerProcess[];
  let trade: Trade;
  let orders: readonly string[];
  before(async () => {
    shared = await openSharedMoney({ ownChains: true });
    const desk = await shared.startServer({ JOBS: 'off' });
    trade = await openTrade(shared, desk.url);
    orders = await openOrders(shared, desk.url, trade, 4, 'delivered');
    servers = await Promise.all(
      WRONG_CLOCKS.map(({ hours, zone, jumps }) =>
        shared.startServer({
          TZ: zone,
          NODE_OPTIONS: `--import ${PRELOAD}`,
          CLOCK_SHIFT_MS: String(hours * HOUR_MS),
          CLOCK_SHIFT_ON_SIGNAL: jumps ? 'yes' : 'no',
        }),
      ),
    );
    for (const [index, { hours, jumps }] of WRONG_CLOCKS.entries()) {
      const server = servers[index];
      if (jumps) server?.child.kill('SIGUSR2');
      await until(`the clock being ${hours} hours off`, async () => (isOff(server?.log() ?? '', hours) ? true : undefined));
    }
  });
  after(() => shared.close());

  const statuses = () => Promise.all(orders.map((order) => readStatus(shared, order)));

  test('C19: servers with a wrong clock date signatures, sign-in tokens and new records by the database clock, in UTC', async () => {
    for (const { url } of servers) {
      assert.equal((await call(url, 'GET /api/auth/whoami', { headers: asHeaders(await signed(solanaWallet())) })).status, 200);
      const stale = await signed(solanaWallet(), Date.now() - 20 * 60_000);
      assert.equal((await call(url, 'GET /api/auth/whoami', { headers: asHeaders(stale) })).body['code'], 'signature_expired');
      await expectCall(url, 200, 'POST /api/auth/user', { key: await tokenFor(url, { email: 'clock@example.com' }) });
      const order = await expectCall(url, 200, `GET /api/orders/${await placeOrder(url, trade)}`, { key: trade.buyer.key });
      const created = timesIn(order).find(([name]) => name.endsWith('created_at'))?.[1] ?? '';
      const off = Date.parse(`${created.replace(' ', 'T')}Z`) - (await marketNow(shared)).getTime();
      assert.ok(Math.abs(off) < 120_000, `created_at is ${off} ms from the time of the market`);
      for (const [name, time] of timesIn(order)) assert.match(time, WIRE_TIME, name);
    }
  });

  test('C19: servers with a wrong clock show the same times of an order', async () => {
    const told = await Promise.all(
      servers.map(({ url }) => expectCall(url, 200, `GET /api/orders/${orders[0]}`, { key: trade.buyer.key })),
    );
    const deadline = await readDeadline(shared, orders[0] ?? '', 'review_deadline');
    for (const order of told) {
      assert.deepEqual(timesIn(order), timesIn(told[0] as Envelope));
      assert.ok(
        timesIn(order).some(([, time]) => time === deadline.toISOString().slice(0, 19).replace('T', ' ')),
        'the deadline is told in UTC',
      );
    }
  });

  test('C19: servers with a wrong clock release nothing early by the database clock, and everything once after it is due', async () => {
    await sleep(3_000);
    assert.deepEqual(
      await statuses(),
      orders.map(() => 'delivered'),
      'released by the clock of a process',
    );
    const last = orders.at(-1) ?? '';
    await goBefore(shared, orders[0] ?? '', 'review_deadline', 60);
    await sleep(2_000);
    assert.deepEqual(
      await statuses(),
      orders.map(() => 'delivered'),
      'released before the deadline',
    );
    await goBefore(shared, last, 'review_deadline', -1);
    for (const order of orders) {
      await untilStatus(shared, order, 'completed', 60);
      const late =
        (await momentOf(shared, order, 'auto_release')).getTime() - (await readDeadline(shared, order, 'review_deadline')).getTime();
      assert.ok(late >= 0, `${order} was released ${-late} ms early`);
    }
    await requireSound(shared.money);
  });
});

/** The preloaded code logs the clock that its process reads. */
function isOff(log: string, hours: number): boolean {
  const readings = [...log.matchAll(/^the clock of the process reads (\d+)$/gm)].map((found) => Number(found[1]) - Date.now());
  return readings.some((ahead) => Math.abs(ahead - hours * HOUR_MS) < HOUR_MS / 2);
}

/** Every time in a record, with its path. */
function timesIn(value: unknown, at = ''): [string, string][] {
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([name, part]): [string, string][] =>
    typeof part === 'string' && /(?:_at|_deadline|deadline|_until|^at)$/.test(name)
      ? [[`${at}${name}`, part]]
      : timesIn(part, `${at}${name}.`),
  );
}
