/** Automatic steps run on time, never early, whether the service ran, was restarted or was down. */
import assert from 'node:assert/strict';
import { after, afterEach, before, suite, test } from 'node:test';
import type { ServerProcess } from '../harness/market.ts';
import { isThorough, THOROUGH_ONLY, times } from '../harness/thoroughness.ts';
import { chainOf, requireSound, until } from '../money/money.ts';
import { openSharedMoney, type SharedMoney } from '../money/shared-money.ts';
import { buyerDoes, deliver, inTurns, openOrders, openTrade, type Trade } from './many-orders.ts';
import {
  DAY,
  goBefore,
  goPast,
  HOUR,
  marketNow,
  momentOf,
  passTime,
  readDeadline,
  readStatus,
  requireOnTime,
  untilStatus,
} from './market-time.ts';

/** Disputes sent from 120 ms before the deadline to 120 ms after it. */
const DISPUTES = times(4, 12);

suite('the deadlines of an order', () => {
  let shared: SharedMoney;
  let server: ServerProcess;
  let trade: Trade;
  before(async () => {
    shared = await openSharedMoney({ ownChains: true, hosted: true });
    server = await shared.startServer();
    trade = await openTrade(shared, server.url, { service: { turnaround_hours: 1, max_revisions: 2 } });
  });
  after(() => shared.close());
  afterEach(async () => {
    if (isThorough) await requireSound(shared.money);
  });

  async function openOne(upTo: 'paid' | 'delivered'): Promise<string> {
    const [orderId = ''] = await openOrders(shared, server.url, trade, 1, upTo);
    return orderId;
  }

  async function isRefused(reply: Promise<{ status: number; body: Record<string, unknown> }>, ...codes: string[]): Promise<void> {
    const { status, body } = await reply;
    assert.equal(status, 400, JSON.stringify(body));
    assert.ok(codes.includes(String(body['code'])), JSON.stringify(body));
  }

  async function isGranted(reply: Promise<{ status: number; body: Record<string, unknown> }>): Promise<void> {
    const { status, body } = await reply;
    assert.equal(status, 200, JSON.stringify(body));
  }

  const dispute = (orderId: string) => buyerDoes(server.url, trade, orderId, 'dispute', { reason: 'Not what was agreed.' });
  const askRevision = (orderId: string) => buyerDoes(server.url, trade, orderId, 'revision', { feedback: 'Once more.' });

  test('P14: the payment of an order is released automatically 48 hours after the delivery, to the second', async () => {
    const orderId = await openOne('delivered');
    const deadline = await goBefore(shared, orderId, 'review_deadline', 1);
    assert.equal(deadline.getTime() - (await deliveredAt(orderId)).getTime(), 48 * HOUR * 1000);
    assert.equal(await readStatus(shared, orderId), 'delivered');
    await untilStatus(shared, orderId, 'completed', 20);
    requireOnTime(await momentOf(shared, orderId, 'auto_release'), deadline);
  });

  async function deliveredAt(orderId: string): Promise<Date> {
    const { rows } = await shared.database.pool.query<{ at: Date }>('select delivered_at as at from orders where id = $1', [orderId]);
    assert.ok(rows[0]);
    return rows[0].at;
  }

  test('a process killed before the review deadline still releases on time', { skip: !isThorough && THOROUGH_ONLY }, async () => {
    const orderId = await openOne('delivered');
    await server.kill('SIGKILL');
    server = await shared.startServer();
    const deadline = await goBefore(shared, orderId, 'review_deadline', 1);
    await untilStatus(shared, orderId, 'completed', 20);
    requireOnTime(await momentOf(shared, orderId, 'auto_release'), deadline);
  });

  test('an order deadline that passes while no process runs is executed right after the next start', async () => {
    const [released, expired] = [await openOne('delivered'), await openOne('paid')];
    await server.kill('SIGKILL');
    await goPast(shared, expired, 'delivery_deadline');
    await goPast(shared, released, 'review_deadline');
    server = await shared.startServer();
    const ready = await marketNow(shared);
    await untilStatus(shared, released, 'completed', 20);
    await untilStatus(shared, expired, 'cancelled', 20);
    for (const moment of [await momentOf(shared, released, 'auto_release'), await momentOf(shared, expired, 'expire')]) {
      assert.ok(moment.getTime() - ready.getTime() < 2_000, `${moment.getTime() - ready.getTime()} ms after the start`);
    }
  });

  test('R03: a dispute is accepted until the last second of the review window and refused after it', {
    skip: !isThorough && THOROUGH_ONLY,
  }, async () => {
    const secondsAfter = [-2, -1, 0, 1, 2];
    const orders = await openOrders(shared, server.url, trade, secondsAfter.length, 'delivered');
    // A review lasts at least a day; from then on its deadline can be moved to the moment of the dispute.
    await passTime(shared, DAY);
    // This server runs no timers, so only the rule decides.
    const judge = await shared.startServer({ JOBS: 'off' });
    await server.kill('SIGTERM');
    server = judge;
    for (const [index, orderId] of orders.entries()) {
      const seconds = secondsAfter[index] ?? 0;
      await shared.database.pool.query(`update orders set review_deadline = market_now() - $2 * interval '1 second' where id = $1`, [
        orderId,
        seconds,
      ]);
      if (seconds < 0) await isGranted(dispute(orderId));
      else await isRefused(dispute(orderId), 'review_window_over');
    }
    await judge.kill('SIGTERM');
    server = await shared.startServer();
    // No job stands for these orders any more; the sweep releases those that are due.
    await passTime(shared, 31);
    for (const orderId of orders.slice(2)) await untilStatus(shared, orderId, 'completed');
    for (const orderId of orders.slice(0, 2)) assert.equal(await readStatus(shared, orderId), 'disputed');
  });

  test('R03: of disputes around the deadline, those before it are accepted and the others meet the release', async () => {
    const orders = await openOrders(shared, server.url, trade, DISPUTES, 'delivered');
    const last = orders.at(-1) ?? '';
    await goBefore(shared, last, 'review_deadline', 2);
    const outcomes = await inTurns(orders, orders.length, async (orderId, index) => {
      const deadline = await readDeadline(shared, orderId, 'review_deadline');
      const left = deadline.getTime() - (await marketNow(shared)).getTime();
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, left - 120 + (index * 240) / DISPUTES)));
      const { status, body } = await dispute(orderId);
      assert.ok(status === 200 || ['review_window_over', 'illegal_transition'].includes(body['code']), JSON.stringify(body));
      await untilStatus(shared, orderId, status === 200 ? 'disputed' : 'completed');
      if (status === 200) assert.ok((await disputedAt(orderId)) < deadline, `${orderId} was disputed after its deadline`);
      else requireOnTime(await momentOf(shared, orderId, 'auto_release'), deadline, 5_000);
      return status;
    });
    assert.ok(outcomes.includes(400), 'some came too late');
  });

  async function disputedAt(orderId: string): Promise<Date> {
    const { rows } = await shared.database.pool.query<{ at: Date }>('select opened_at as at from disputes where order_id = $1', [orderId]);
    assert.ok(rows[0]);
    return rows[0].at;
  }

  test('an undelivered order warns both sides at the promised time, and is cancelled and refunded a day later', async () => {
    const chain = chainOf(shared, 'base-mainnet');
    const before = (await chain.readBalances(trade.payer.address)).usdcMicros;
    const orderId = await openOne('paid');
    const due = await goBefore(shared, orderId, 'due_at', 1);
    const warning = await until('the warning', async () => (await eventsOf(orderId, 'order.deadline_near'))[0]);
    requireOnTime(warning, due);
    const deadline = await goBefore(shared, orderId, 'delivery_deadline', 1);
    assert.equal(deadline.getTime() - due.getTime(), DAY * 1000);
    assert.equal(await readStatus(shared, orderId), 'paid');
    await untilStatus(shared, orderId, 'cancelled', 20);
    requireOnTime(await momentOf(shared, orderId, 'expire'), deadline);
    await isRefused(deliver(server.url, trade, orderId), 'illegal_transition');
    await until('the refund on chain', async () =>
      (await chain.readBalances(trade.payer.address)).usdcMicros === before ? true : undefined,
    );
    assert.equal((await eventsOf(orderId, 'order.deadline_near')).length, 1);
  });

  async function eventsOf(orderId: string, type: string): Promise<Date[]> {
    const text = 'select created_at as at from events where subject_id = $1 and type = $2';
    return (await shared.database.pool.query<{ at: Date }>(text, [orderId, type])).rows.map(({ at }) => at);
  }

  test('a delivery in the last second counts, and the order does not expire', async () => {
    const orderId = await openOne('paid');
    await goBefore(shared, orderId, 'delivery_deadline', 3);
    await isGranted(deliver(server.url, trade, orderId));
    await goPast(shared, orderId, 'delivery_deadline');
    await passTime(shared, 2 * 60);
    assert.equal(await readStatus(shared, orderId), 'delivered');
  });

  test('an unanswered revision becomes a dispute after 7 days; one answered in the last second does not', async () => {
    const [answered, unanswered] = [await openOne('delivered'), await openOne('delivered')];
    await isGranted(askRevision(answered));
    await isGranted(askRevision(unanswered));
    const deadline = await goBefore(shared, answered, 'revision_deadline', 3);
    assert.equal(deadline.getTime() - (await momentOf(shared, answered, 'revision')).getTime(), 7 * DAY * 1000);
    await isGranted(deliver(server.url, trade, answered));
    const escalation = await readDeadline(shared, unanswered, 'revision_deadline');
    await untilStatus(shared, unanswered, 'disputed', 20);
    requireOnTime(await momentOf(shared, unanswered, 'escalate'), escalation);
    await isRefused(deliver(server.url, trade, unanswered), 'illegal_transition');
    assert.equal(await readStatus(shared, answered), 'delivered');
    const { rows } = await shared.database.pool.query('select opened_by, state from disputes where order_id = $1', [unanswered]);
    assert.deepEqual(rows, [{ opened_by: 'system', state: 'open' }]);
  });

  test('a new delivery leaves at least a day for review, and never shortens the review', async () => {
    const orderId = await openOne('delivered');
    const first = await readDeadline(shared, orderId, 'review_deadline');
    await isGranted(deliver(server.url, trade, orderId));
    assert.deepEqual(await readDeadline(shared, orderId, 'review_deadline'), first, 'more than a day was left');
    await goBefore(shared, orderId, 'review_deadline', HOUR);
    await isGranted(deliver(server.url, trade, orderId));
    const second = await readDeadline(shared, orderId, 'review_deadline');
    assert.equal(second.getTime() - (await deliveredAt(orderId)).getTime(), DAY * 1000);
    await passTime(shared, HOUR + 60);
    assert.equal(await readStatus(shared, orderId), 'delivered', 'the first deadline no longer counts');
    await goBefore(shared, orderId, 'review_deadline', 1);
    await untilStatus(shared, orderId, 'completed', 20);
    requireOnTime(await momentOf(shared, orderId, 'auto_release'), second);
  });

  test('a withdrawn dispute leaves at least a day for review, then the payment is released', async () => {
    const orderId = await openOne('delivered');
    await isGranted(dispute(orderId));
    await passTime(shared, 3 * DAY);
    assert.equal(await readStatus(shared, orderId), 'disputed', 'a dispute stops the clock');
    await isGranted(buyerDoes(server.url, trade, orderId, 'withdraw_dispute'));
    const deadline = await goBefore(shared, orderId, 'review_deadline', 1);
    assert.equal(deadline.getTime() - (await momentOf(shared, orderId, 'withdraw_dispute')).getTime(), DAY * 1000);
    await untilStatus(shared, orderId, 'completed', 20);
    requireOnTime(await momentOf(shared, orderId, 'auto_release'), deadline);
  });

  test('the books are sound after deadlines of orders', async () => {
    await requireSound(shared.money);
  });
});
