/** A hire that was paid out at once and misses its deadline: marked once, on time, on two processes, with its consequences. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { forgetLeases, hasEnded } from '../faults/crash-lab.ts';
import { hireSigned, idOf, untilPaidOut } from '../harness/bare-transfers.ts';
import { openAdmin, rule } from '../harness/disputes.ts';
import { call, type Reply } from '../harness/http.ts';
import { type MachineStage, openMachineBuyer, openMachineStage } from '../harness/machine-buyers.ts';
import type { ServerProcess } from '../harness/market.ts';
import { type Buyer, listService, openProvider, type Provider, readOrder } from '../harness/orders.ts';
import { asHeaders, signed } from '../harness/people.ts';
import { isThorough, THOROUGH_ONLY, times } from '../harness/thoroughness.ts';
import { findBroken } from '../money/find-broken.ts';
import { requireSound, until } from '../money/money.ts';
import { DAY, goBefore, goPast, momentOf, passTime, readDeadline, requireOnTime } from './market-time.ts';
import { overdueCorruptions } from './overdue-corruptions.ts';

const RACES = times(3, 10);

suite('a hire that is never delivered', () => {
  let stage: MachineStage;
  let buyer: Buyer;
  let url: string;
  before(async () => {
    stage = await openMachineStage({ PAYMENT_CONTEST_MINUTES: '0' }, { ownChains: true });
    [url] = stage.urls;
    buyer = await openMachineBuyer(stage, 'base-mainnet');
  });
  after(() => stage.close());

  async function openSeller(): Promise<{ provider: Provider; service: string }> {
    const provider = await openProvider(url);
    return { provider, service: await listService(url, provider, { price_usd: '1.00', turnaround_hours: 1 }) };
  }

  // biome-ignore lint/suspicious/noExplicitAny: what came over the wire.
  async function hire(service: string): Promise<{ id: string; data: any }> {
    const { chain } = buyer.payer;
    const reference = await buyer.payer.pay(chain.treasury, 1_100_000n);
    const reply = await hireSigned(url, service, buyer, reference, 'A logo for a bakery.');
    return { id: idOf(reply), data: reply.body['data'] };
  }

  async function hirePaidOut(service: string): Promise<string> {
    const { id } = await hire(service);
    await untilPaidOut(url, id, buyer);
    return id;
  }

  const deliver = (at: string, id: string, { key }: Provider) =>
    call(at, `POST /api/orders/${id}/deliver`, { key, body: { content: 'Here it is.' } });

  async function untilOverdue(id: string): Promise<void> {
    await until(`${id} becoming overdue`, async () => ((await readOrder(url, id, buyer)).order.overdue_since === null ? undefined : true));
  }

  async function done(reply: Promise<Reply>): Promise<Record<string, never>> {
    const { status, body } = await reply;
    assert.equal(status, 200, JSON.stringify(body));
    return body['data'];
  }

  async function refused(reply: Promise<Reply>): Promise<unknown[]> {
    const { status, body } = await reply;
    return [status, body['code']];
  }

  const byToken = (id: string, token: string, action: string, more: object = {}) =>
    call(url, `PATCH /api/orders/${id}`, { headers: { authorization: `Bearer ${token}` }, body: { action, ...more } });

  test('a hire that is never delivered is marked overdue once, on time, and can be disputed by token, but not refunded', async () => {
    const { provider, service } = await openSeller();
    const { id, data } = await hire(service);
    await untilPaidOut(url, id, buyer);
    const token = String(data['buyer_token']);
    assert.deepEqual(await refused(byToken(id, token, 'dispute', { reason: 'Nothing came.' })), [400, 'deadline_not_reached']);
    assert.equal((await readOrder(url, id, buyer)).clock.action, 'mark_overdue');

    const deadline = await goBefore(stage, id, 'delivery_deadline', 1);
    assert.equal((await readOrder(url, id, buyer)).order.overdue, false);
    await untilOverdue(id);
    requireOnTime(await momentOf(stage, id, 'mark_overdue'), deadline, 5_000);
    const view = await readOrder(url, id, buyer);
    assert.deepEqual([view.order.status, view.order.overdue, view.clock], ['paid', true, null]);
    assert.ok(view.allowed_actions.includes('dispute'));
    const listed = (await call(url, 'GET /api/orders?role=provider', { key: provider.key })).body['data'];
    assert.deepEqual([listed[0].id, listed[0].overdue], [id, true]);
    const feed = (await call(url, 'GET /api/events?limit=100', { key: provider.key })).body['data'];
    const told = JSON.stringify(feed.events ?? feed);
    assert.equal(told.split('"order.overdue"').length - 1, 1, told);
    await until('both notifications', async () => {
      const ofBuyer = await call(url, 'GET /api/notifications', { headers: asHeaders(await signed(buyer)) });
      const ofProvider = await call(url, 'GET /api/notifications', { key: provider.key });
      const types = [ofBuyer, ofProvider].map(({ body }) => JSON.stringify(body['data']));
      return types[0]?.includes('"order_overdue"') && types[1]?.includes('"provider_order_overdue"') ? true : undefined;
    });

    assert.equal((await done(byToken(id, token, 'dispute', { reason: 'Nothing came.' })))['status'], 'disputed');
    const back = await done(byToken(id, token, 'withdraw_dispute'));
    assert.deepEqual([back['status'], back['overdue']], ['paid', true]);
    await done(byToken(id, token, 'dispute', { reason: 'Still nothing.' }));
    const admin = await openAdmin(url);
    assert.deepEqual(await refused(rule(url, id, admin, { ruling: 'refund' })), [400, 'already_settled']);
    const late = await done(deliver(url, id, provider));
    assert.deepEqual([late['status'], late['overdue'], late['overdue_since']], ['disputed', false, view.order.overdue_since]);
    await done(rule(url, id, admin, { ruling: 'release' }));
    assert.equal((await readOrder(url, id, buyer)).order.status, 'completed');
    await until('the figures', async () => {
      const { stats } = (await call(url, `GET /api/agents/${provider.id}`)).body['data'];
      return stats.completed_orders === 1 && stats.overdue_orders === 1 && stats.on_time_rate === 0 ? true : undefined;
    });
    await requireSound(stage.money);
  });

  test('two overdue hires within 30 days hold the provider’s next payouts until approval, as published, until both are delivered', async () => {
    const { provider, service } = await openSeller();
    const [first, second] = [await hirePaidOut(service), await hirePaidOut(service)];
    const shown = () => readPublished(service, provider);
    assert.deepEqual(await shown(), ['instant', 'instant', 'instant', 'instant']);
    await goPast(stage, second, 'delivery_deadline');
    await untilOverdue(first);
    await untilOverdue(second);
    assert.deepEqual(await shown(), ['on_approval', 'on_approval', 'on_approval', 'on_approval']);
    const { payout } = await readEntry(service);
    assert.match(payout.reason, /2 hires .* overdue within 30 days/);
    assert.match(payout.rule, /2 overdue orders within 30 days/);

    const held = await hire(service);
    const { order, money } = await readOrder(url, held.id, buyer);
    assert.deepEqual([order.settlement, money.state, money.held_usd], ['on_approval', 'held', '1.10']);
    assert.equal(held.data.x402.payout.attempted, false);
    await done(deliver(url, held.id, provider));
    await done(call(url, `PATCH /api/orders/${held.id}`, { body: { action: 'approve', ...(await signed(buyer)) } }));
    await untilPaidOut(url, held.id, buyer);

    await done(deliver(url, first, provider));
    assert.deepEqual(await shown(), ['on_approval', 'on_approval', 'on_approval', 'on_approval'], 'one is still owed');
    await done(deliver(url, second, provider));
    assert.deepEqual(await shown(), ['instant', 'instant', 'instant', 'instant']);
    const free = await hirePaidOut(service);
    assert.equal((await readOrder(url, free, buyer)).order.settlement, 'instant');
    await done(deliver(url, free, provider));
    await requireSound(stage.money);
  });

  test('two overdue hires more than 30 days apart hold no payout', { skip: !isThorough && THOROUGH_ONLY }, async () => {
    const { provider, service } = await openSeller();
    const first = await hirePaidOut(service);
    await goPast(stage, first, 'delivery_deadline');
    await untilOverdue(first);
    await passTime(stage, 30 * DAY);
    const second = await hirePaidOut(service);
    await goPast(stage, second, 'delivery_deadline');
    await untilOverdue(second);
    assert.equal((await readEntry(service)).payout.settlement, 'instant');
    for (const id of [first, second]) await done(deliver(url, id, provider));
  });

  // biome-ignore lint/suspicious/noExplicitAny: what came over the wire.
  async function readEntry(service: string): Promise<any> {
    const { body } = await call(url, 'GET /api/x402/services?limit=200');
    return body['data'].services.find((entry: Record<string, unknown>) => entry['service_id'] === service);
  }

  /** The payout rule for hires in the catalogue, the discovery entry, the service and the agent. */
  async function readPublished(service: string, { id }: Provider): Promise<string[]> {
    const found = await call(url, 'GET /discovery/resources?limit=100');
    const resource = found.body['items'].find((item: { resource: string }) => item.resource.includes(service));
    const shown = (await call(url, `GET /api/services/${service}`)).body['data'];
    const agent = (await call(url, `GET /api/agents/${id}`)).body['data'].agent;
    return [
      (await readEntry(service)).payout.settlement,
      resource.metadata.payout.settlement,
      shown.machine_settlement,
      agent.machine_payout.settlement,
    ];
  }

  test(`a delivery at the deadline of a hire, ${RACES} times on two processes, is late exactly when it came after the deadline`, async () => {
    const { provider, service } = await openSeller();
    const orders: string[] = [];
    for (let round = 0; round < RACES; round++) orders.push(await hirePaidOut(service));
    // Early enough that no order is overdue by its first deadline.
    await goBefore(stage, orders[0] ?? '', 'delivery_deadline', 30);
    await Promise.all(
      orders.map(async (id, round) => {
        // The new deadline makes timer and delivery meet.
        await stage.database.pool.query(
          `with moved as (update orders set delivery_deadline = date_trunc('milliseconds', market_now() + $2 * interval '1 ms') where id = $1 returning delivery_deadline as at),
                woken as (select pg_notify('market_jobs', ''))
           update jobs set run_at = moved.at from moved, woken where payload->>'order_id' = $1 and payload->>'command' = 'expire'`,
          [id, 60 + round * 80],
        );
        await new Promise((resolve) => setTimeout(resolve, 60));
        const reply = await deliver(stage.urls[round % 2] ?? '', id, provider);
        assert.equal(reply.status, 200, JSON.stringify(reply.body));
      }),
    );
    for (const id of orders) {
      const { order, timeline } = await readOrder(url, id, buyer);
      const deadline = await readDeadline(stage, id, 'delivery_deadline');
      const delivered = await momentOf(stage, id, 'deliver');
      const steps = timeline.map(({ action }: { action: string }) => action);
      assert.deepEqual(steps, delivered < deadline ? ['hire', 'deliver'] : ['hire', 'mark_overdue', 'deliver'], id);
      assert.deepEqual([order.status, order.overdue, order.overdue_since !== null], ['delivered', false, delivered >= deadline]);
    }
    await requireSound(stage.money);
  });

  test('a hire is marked overdue once although processes crash at the mark, and the audit reports every corruption of it', {
    skip: !isThorough && THOROUGH_ONLY,
  }, async (context) => {
    const { provider, service } = await openSeller();
    const [first, second, third] = [await hirePaidOut(service), await hirePaidOut(service), await hirePaidOut(service)];
    for (const server of stage.servers) await server.kill('SIGTERM');
    await goPast(stage, third, 'delivery_deadline');
    for (const point of ['order.after_step', 'order.before_commit', 'timer.before_commit']) {
      const doomed: ServerProcess | undefined = await stage.startServer({ CRASH_AT: point }).catch(() => undefined);
      if (doomed !== undefined) await until(`death at ${point}`, async () => (hasEnded(doomed) ? true : undefined));
      await forgetLeases(stage);
    }
    const server = await stage.startServer({ PAYMENT_CONTEST_MINUTES: '0' });
    ({ url } = server);
    for (const id of [first, second, third]) {
      await untilOverdue(id);
      await momentOf(stage, id, 'mark_overdue');
    }
    await done(deliver(url, first, provider));
    // Beyond the delay that the audit allows timers and earlier hires.
    await passTime(stage, 180);
    await hire(service);
    await requireSound(stage.money);
    assert.equal(await server.kill('SIGTERM'), 0);
    assert.deepEqual((await findBroken(stage.database)).broken, []);
    for (const { what, breaks, sql } of overdueCorruptions) {
      await context.test(`${what} (${breaks})`, async () => {
        const { broken, changed } = await findBroken(stage.database, sql);
        assert.ok(changed > 0, 'nothing was spoilt');
        assert.ok(broken.includes(breaks), `reported ${broken.join(', ') || 'nothing'}`);
      });
    }
  });
});
