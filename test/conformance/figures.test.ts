/** Public figures equal the sums over orders and reviews, for any server, repetition and order of events. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { runAudit } from '../../packages/server/src/features/audit/index.ts';
import { registerOwnedAgent } from '../harness/agents.ts';
import { redeliverEvents, untilHandled } from '../harness/events.ts';
import { call, type Envelope, expectCall } from '../harness/http.ts';
import { act, type Buyer, deliver, listService, openBuyer, type Provider, payOrder, placeOrder } from '../harness/orders.ts';
import { asHeaders, signed, tokenFor } from '../harness/people.ts';
import { openSharedMoney, type SharedMoney } from '../money/shared-money.ts';

suite('public figures', () => {
  let shared: SharedMoney;
  let urls: readonly [string, string];
  let provider: Provider;
  let owner: Buyer;
  let buyer: Buyer;
  let services: readonly [string, string];

  before(async () => {
    shared = await openSharedMoney({ hosted: true });
    const [one, two] = await Promise.all([shared.startServer(), shared.startServer()]);
    urls = [one.url, two.url];
    [owner, buyer] = await Promise.all([openBuyer(shared, 'base-mainnet'), openBuyer(shared, 'base-mainnet')]);
    const agent = await registerOwnedAgent(one.url, owner);
    provider = { ...agent, owner, headers: { authorization: `Bearer ${agent.key}` } };
    services = [await listService(one.url, provider), await listService(two.url, provider, { title: 'Another service' })];
  });
  after(() => shared.close());

  let turn = 0;
  /** Alternates between the servers, so that both handle steps of every order. */
  const anyUrl = (): string => urls[turn++ % 2] ?? urls[0];

  async function paid(service: string, by: Buyer = buyer): Promise<string> {
    const order = await placeOrder(anyUrl(), service, by);
    await payOrder(anyUrl(), order, by);
    return order;
  }
  async function ok(reply: ReturnType<typeof act>): Promise<void> {
    const { status, body } = await reply;
    assert.equal(status, 200, JSON.stringify(body));
  }
  async function completed(service: string, by: Buyer = buyer): Promise<string> {
    const order = await paid(service, by);
    await ok(deliver(anyUrl(), order, provider));
    await ok(act(anyUrl(), order, by, 'approve'));
    return order;
  }
  const review = async (order: string, rating: number): Promise<void> =>
    await ok(call(anyUrl(), `POST /api/orders/${order}/review`, { headers: asHeaders(await signed(buyer)), body: { rating } }));

  async function split(order: string, refund: string): Promise<void> {
    await ok(deliver(anyUrl(), order, provider));
    await ok(act(anyUrl(), order, buyer, 'dispute', { reason: 'Half of it is missing.' }));
    const [url] = urls;
    const key = await tokenFor(url, { email: 'root@example.com', admin: true });
    const body = { ruling: 'split', refund_usd: refund, reason: 'Half of it is there.' };
    await ok(call(url, `POST /api/admin/orders/${order}/rule`, { key, body }));
  }

  /** One order for each way an order can go. */
  async function mixedRun(): Promise<void> {
    const [first, second] = services;
    await placeOrder(anyUrl(), first, buyer);
    const [good, fair, running, cancelled, disputed] = [
      await completed(first),
      await completed(second),
      await paid(first),
      await paid(second),
      await paid(second),
    ];
    await Promise.all([
      review(good, 5),
      review(fair, 2),
      ok(deliver(anyUrl(), running, provider)),
      ok(act(anyUrl(), cancelled, buyer, 'cancel')),
      split(disputed, '4.00'),
    ]);
    await completed(first, owner);
  }

  async function requireFigures(): Promise<void> {
    await untilHandled(shared.database.pool);
    const { data } = (await call(anyUrl(), `GET /api/agents?search=${encodeURIComponent(provider.name)}`)).body;
    const agent: Envelope = data.find((row: Envelope) => row['id'] === provider.id);
    assert.deepEqual(
      [agent['total_orders'], agent['completed_orders'], agent['total_revenue'], agent['avg_rating']],
      [4, 3, '26.00', 3.5],
      'four paid and not cancelled; 10 + 10 + 6 of the split; those between the same people count for nothing',
    );
    const figuresOf = async (id: string): Promise<unknown[]> => {
      const service = await expectCall(anyUrl(), 200, `GET /api/services/${id}`);
      return [service['total_orders'], service['completed_orders'], service['avg_rating']];
    };
    assert.deepEqual(await figuresOf(services[0]), [2, 1, 5]);
    assert.deepEqual(await figuresOf(services[1]), [2, 2, 2]);
    const { stats } = await expectCall(anyUrl(), 200, `GET /api/agents/${provider.id}`);
    assert.deepEqual([stats.total_orders, stats.completed_orders, stats.avg_rating], [4, 3, 3.5]);
  }

  const brokenFigures = async (): Promise<string[]> =>
    (await runAudit(shared.database, shared.chains)).findings.map(({ id }) => id).filter((id) => id === 'V09');

  test('E53: public figures equal the records after a mixed run on two servers', async () => {
    await mixedRun();
    await requireFigures();
    assert.deepEqual(await brokenFigures(), []);
  });

  test('public figures stay the same when both servers handle every event again, in parallel and out of order', async () => {
    for (let round = 0; round < 3; round++) await redeliverEvents(shared.database.pool, 'figures');
    await requireFigures();
    assert.deepEqual(await brokenFigures(), []);
  });

  test('public figures are audited: an inflated count is reported, unless an update is still queued', async () => {
    await shared.database.pool.query('update services set completed_orders = completed_orders + 1 where id = $1', [services[0]]);
    assert.deepEqual(await brokenFigures(), ['V09']);
    await shared.database.pool.query(
      `insert into jobs (queue, kind, payload, run_at) select 'default', 'event.figures', jsonb_build_object('event_id', id::text), market_now() + interval '1 day'
       from events where type = 'order.paid' limit 1`,
    );
    assert.deepEqual(await brokenFigures(), []);
  });
});
