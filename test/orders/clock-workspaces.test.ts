/** A workspace ends on time when its period or its quota is used up, and is then reviewed like any delivery. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { call, type Reply } from '../harness/http.ts';
import type { ServerProcess } from '../harness/market.ts';
import { some } from '../harness/thoroughness.ts';
import { requireSound } from '../money/money.ts';
import { openSharedMoney, type SharedMoney } from '../money/shared-money.ts';
import { deliver, openOrders, openTrade, type Trade } from './many-orders.ts';
import { DAY, goBefore, momentOf, passTime, readDeadline, readStatus, requireOnTime, untilStatus } from './market-time.ts';

const kinds = [
  { what: 'a weekly workspace', days: 7, service: { price_type: 'weekly' } },
  { what: 'a monthly workspace', days: 30, service: { price_type: 'monthly' } },
  { what: 'a number of generations sold once', days: 1, service: { price_type: 'fixed', quota_limit: 3 } },
] as const;

suite('the end of a workspace', () => {
  let shared: SharedMoney;
  let server: ServerProcess;
  before(async () => {
    shared = await openSharedMoney({ ownChains: true, hosted: true });
    server = await shared.startServer();
  });
  after(() => shared.close());

  async function openWorkspace(service: object): Promise<{ trade: Trade; orderId: string }> {
    const trade = await openTrade(shared, server.url, { service: { ...service } });
    const [orderId = ''] = await openOrders(shared, server.url, trade, 1, 'paid');
    assert.equal(await readStatus(shared, orderId), 'in_progress');
    return { trade, orderId };
  }

  async function ask({ buyer }: Trade, orderId: string, prompt = 'One more of these.'): Promise<Reply> {
    return await call(server.url, `POST /api/orders/${orderId}/generate`, { key: buyer.key, body: { prompt } });
  }

  async function readUsed(orderId: string): Promise<{ used: number; failed: number }> {
    const { rows } = await shared.database.pool.query(
      `select quota_used as used, (select count(*)::int from deliverables d where d.order_id = o.id and d.status = 'failed') as failed
       from orders o where id = $1`,
      [orderId],
    );
    return rows[0];
  }

  for (const { what, days, service } of some(kinds, 1)) {
    test(`P16: ${what} ends after ${days} days; unanswered requests do not count, and the payment is released after 48 hours`, async () => {
      const { trade, orderId } = await openWorkspace(service);
      const end = await readDeadline(shared, orderId, 'workspace_ends_at');
      assert.equal(end.getTime() - (await momentOf(shared, orderId, 'pay')).getTime(), days * DAY * 1000);
      assert.equal((await ask(trade, orderId)).status, 200);
      assert.equal((await deliver(server.url, trade, orderId)).status, 200, 'answers the request');
      await goBefore(shared, orderId, 'workspace_ends_at', 3);
      assert.equal((await ask(trade, orderId)).status, 200, 'the last seconds count');
      await untilStatus(shared, orderId, 'delivered', 20);
      requireOnTime(await momentOf(shared, orderId, 'finish_workspace'), end);
      assert.deepEqual(await readUsed(orderId), { used: 1, failed: 1 });
      assert.equal((await ask(trade, orderId)).body['code'], 'illegal_transition');
      const deadline = await goBefore(shared, orderId, 'review_deadline', 1);
      await untilStatus(shared, orderId, 'completed', 20);
      requireOnTime(await momentOf(shared, orderId, 'auto_release'), deadline);
      await requireSound(shared.money);
    });
  }

  test('a used-up quota ends the workspace with the last answer, and its time limit no longer applies', async () => {
    const { trade, orderId } = await openWorkspace({ price_type: 'fixed', quota_limit: 2 });
    for (const prompt of ['The first.', 'The second.']) assert.equal((await ask(trade, orderId, prompt)).status, 200);
    assert.equal((await ask(trade, orderId)).body['code'], 'quota_exhausted');
    assert.equal((await deliver(server.url, trade, orderId)).status, 200);
    assert.equal(await readStatus(shared, orderId), 'in_progress', 'one request is still open');
    assert.equal((await deliver(server.url, trade, orderId)).status, 200);
    assert.equal(await readStatus(shared, orderId), 'delivered');
    const deadline = await readDeadline(shared, orderId, 'review_deadline');
    await goBefore(shared, orderId, 'workspace_ends_at', -1);
    await passTime(shared, 60);
    assert.equal(await readStatus(shared, orderId), 'delivered');
    assert.deepEqual(await readDeadline(shared, orderId, 'review_deadline'), deadline);
    await requireSound(shared.money);
  });

  test('parallel requests never exceed the quota of a workspace', async () => {
    const { trade, orderId } = await openWorkspace({ price_type: 'weekly', quota_limit: 5 });
    const replies = await Promise.all(Array.from({ length: 15 }, () => ask(trade, orderId)));
    assert.deepEqual(replies.map(({ status }) => status).sort(), [...Array<number>(5).fill(200), ...Array<number>(10).fill(400)]);
    for (const { status, body } of replies) if (status === 400) assert.equal(body['code'], 'quota_exhausted');
    assert.deepEqual(await readUsed(orderId), { used: 5, failed: 0 });
    await requireSound(shared.money);
  });

  test('a workspace that expires while no process runs ends right after the next start', async () => {
    const { orderId } = await openWorkspace({ price_type: 'weekly' });
    await server.kill('SIGKILL');
    await goBefore(shared, orderId, 'workspace_ends_at', -1);
    server = await shared.startServer();
    await untilStatus(shared, orderId, 'delivered', 5);
    await requireSound(shared.money);
  });
});
