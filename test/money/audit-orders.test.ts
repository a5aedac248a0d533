/** The audit passes orders in every state, also during concurrent use, and names the broken invariant of every corruption. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { openAdmin, rule } from '../harness/disputes.ts';
import { call, type Reply } from '../harness/http.ts';
import type { ServerProcess } from '../harness/market.ts';
import { some, times } from '../harness/thoroughness.ts';
import { openCrowd } from '../orders/crowd.ts';
import { buyerDoes, deliver, openOrders, openTrade, placeOrder, type Trade } from '../orders/many-orders.ts';
import { DAY, passTime, untilStatus } from '../orders/market-time.ts';
import { findBroken } from './find-broken.ts';
import { requireSound } from './money.ts';
import { orderCorruptions } from './order-corruptions.ts';
import { openSharedMoney, type SharedMoney } from './shared-money.ts';

const BUSY_ACTS = times(60, 160);
const BUSY_AT_ONCE = 4;

suite('the audit of orders', () => {
  let shared: SharedMoney;
  let server: ServerProcess;
  before(async () => {
    shared = await openSharedMoney({ ownChains: true, hosted: true });
    server = await shared.startServer();
    await openEveryFate(await openTrade(shared, server.url, { service: { max_revisions: 3 } }));
    await openWorkspace();
  });
  after(() => shared.close());

  async function done(reply: Promise<Reply>): Promise<void> {
    const { status, body } = await reply;
    assert.equal(status, 200, JSON.stringify(body));
  }

  /** Orders of each outcome: released without review, expired, escalated, reviewed, refunded, split, revised, and some under way. */
  async function openEveryFate(trade: Trade): Promise<void> {
    const { url } = server;
    const [silent = '', escalated = ''] = await openOrders(shared, url, trade, 2, 'delivered');
    const [expired = ''] = await openOrders(shared, url, trade, 1, 'paid');
    await done(buyerDoes(url, trade, escalated, 'revision', { feedback: 'Once more.' }));
    await passTime(shared, 10 * DAY);
    await untilStatus(shared, silent, 'completed');
    await untilStatus(shared, escalated, 'disputed');
    await untilStatus(shared, expired, 'cancelled');

    await placeOrder(url, trade);
    const [, cancelled = ''] = await openOrders(shared, url, trade, 2, 'paid');
    await done(buyerDoes(url, trade, cancelled, 'cancel'));
    const [, approved = '', revised = '', split = ''] = await openOrders(shared, url, trade, 4, 'delivered');
    await done(buyerDoes(url, trade, approved, 'approve'));
    await done(call(url, `POST /api/orders/${approved}/review`, { key: trade.buyer.key, body: { rating: 5 } }));
    await done(buyerDoes(url, trade, revised, 'revision', { feedback: 'Once more.' }));
    await done(buyerDoes(url, trade, split, 'dispute', { reason: 'Half of it is missing.' }));
    await done(rule(url, split, await openAdmin(url), { ruling: 'split', refund_usd: '0.40' }));
  }

  async function openWorkspace(): Promise<void> {
    const { url } = server;
    const trade = await openTrade(shared, url, { service: { price_type: 'weekly', quota_limit: 5 } });
    const [orderId = ''] = await openOrders(shared, url, trade, 1, 'paid');
    const ask = () => call(url, `POST /api/orders/${orderId}/generate`, { key: trade.buyer.key, body: { prompt: 'One more.' } });
    await done(ask());
    await done(deliver(url, trade, orderId));
    await done(ask());
  }

  test('the audit of orders finds nothing during and after concurrent use', async () => {
    const crowd = await openCrowd(shared, server.url);
    let left = BUSY_ACTS;
    const people = Array.from({ length: BUSY_AT_ONCE }, async () => {
      while (left-- > 0) await crowd.act(server.url);
    });
    let audits = 0;
    for (const watched = Promise.all(people); left > 0; audits++) {
      assert.deepEqual((await findBroken(shared.database)).broken, []);
      await Promise.race([watched, new Promise((resolve) => setTimeout(resolve, 200))]);
    }
    await Promise.all(people);
    assert.ok(audits > 1);
    assert.ok((await crowd.requireKept()) > BUSY_ACTS / 4, 'they hardly did anything');
    await requireSound(shared.money);
  });

  test('the audit reports each corruption of orders', async (context) => {
    // No process works any more, so every finding was caused by the test.
    assert.equal(await server.kill('SIGTERM'), 0);
    assert.deepEqual((await findBroken(shared.database)).broken, []);
    for (const { what, breaks, sql } of some(orderCorruptions, 6)) {
      await context.test(`${what} (${breaks})`, async () => {
        const { broken, changed } = await findBroken(shared.database, sql);
        assert.ok(changed > 0, 'nothing was spoilt');
        assert.ok(broken.includes(breaks), `reported ${broken.join(', ') || 'nothing'}`);
      });
    }
  });
});
