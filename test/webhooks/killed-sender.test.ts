/** Webhook senders that crash or stop: no delivery is lost, and a repeated one keeps its id. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { hasEnded } from '../faults/crash-lab.ts';
import { pointsToDieAt } from '../faults/crash-points.ts';
import { openFamily, type ProcessFamily } from '../faults/market-processes.ts';
import type { ServerProcess } from '../harness/market.ts';
import { listService, openProvider, type Provider, placeOrder } from '../harness/orders.ts';
import { baseWallet, type TestWallet } from '../harness/people.ts';
import { openReceiver, type Receiver } from '../harness/receiver.ts';
import { setEndpoint } from '../harness/workspaces.ts';
import { until } from '../money/money.ts';

const PROVIDERS = 3;
const ORDERS = 12;
/** The crash points of a sender, and at which pass it dies there. */
const MARKS = [
  'webhook.after_claim:2',
  'webhook.before_send:4',
  'webhook.after_send:4',
  'webhook.before_outcome:2',
  'webhook.after_outcome:2',
];

suite('a process that sends webhooks', () => {
  let family: ProcessFamily;
  /** Serves requests, and sends no webhooks. */
  let desk: ServerProcess;
  let receiver: Receiver;
  let services: string[];
  /** The sender beside one that crashed; it continues. */
  let survivor: ServerProcess | undefined;
  const buyer: TestWallet = baseWallet();

  before(async () => {
    family = await openFamily();
    receiver = await openReceiver(async (response) => {
      await sleep(20);
      response.end();
    });
    desk = await family.start({ JOBS: 'off', OUTBOUND_ALLOW: '127.0.0.1' });
    const providers: Provider[] = [];
    for (let number = 0; number < PROVIDERS; number++) {
      const provider = await openProvider(desk.url);
      await setEndpoint(desk.url, provider, `${receiver.url}/${number}`);
      providers.push(provider);
    }
    services = await Promise.all(providers.map((provider) => listService(desk.url, provider, { price_type: 'quote' })));
  });
  after(async () => {
    await family.close();
    await receiver.close();
  });

  const startSender = (settings: Record<string, string> = {}) => family.start({ OUTBOUND_ALLOW: '127.0.0.1', ...settings });

  async function placeOrders(): Promise<string[]> {
    return await Promise.all(
      Array.from({ length: ORDERS }, (_, number) => placeOrder(desk.url, services[number % PROVIDERS] ?? '', buyer)),
    );
  }

  /** Requires each order's webhooks under one id; returns the number of repeats. */
  async function requireAllHeard(orders: readonly string[]): Promise<number> {
    const callsOf = (order: string) => receiver.received.filter(({ json }) => json['order_id'] === order);
    await until('every order being sent', async () => (orders.every((order) => callsOf(order).length > 0) ? true : undefined), 40);
    await until('the queue being empty', async () =>
      (await family.database.query('select 1 from webhook_queue')).rowCount === 0 ? true : undefined,
    );
    let repeats = 0;
    for (const order of orders) {
      const calls = callsOf(order);
      repeats += calls.length - 1;
      assert.equal(new Set(calls.map(({ headers }) => headers['x-market-delivery-id'])).size, 1, 'one id');
      assert.equal(new Set(calls.map(({ text }) => text)).size, 1, 'one body');
    }
    const { rows } = await family.database.query(
      `select count(*)::int as ended, count(distinct (agent_id, agent_seq))::int as deliveries from webhook_attempts where ends_as = 'delivered'`,
    );
    assert.equal(rows[0].ended, rows[0].deliveries, 'each ended once');
    return repeats;
  }

  for (const mark of pointsToDieAt(MARKS, ['webhook.after_send:4'])) {
    test(`C20: after a webhook sender crashes at ${mark} another process sends the rest, and repeats only unrecorded deliveries`, async () => {
      const doomed = await startSender({ CRASH_AT: mark });
      const orders = await placeOrders();
      await until('its death', async () => (hasEnded(doomed) ? true : undefined));
      assert.equal(doomed.child.signalCode, 'SIGKILL', doomed.log());
      // Ends the lease now instead of after ten seconds.
      await family.database.query('update webhook_lanes set lease_until = clock_timestamp()');
      const heir = await startSender();
      const repeats = await requireAllHeard(orders);
      assert.ok(repeats <= ORDERS, `${repeats} came twice`);
      assert.equal(await heir.kill('SIGTERM'), 0);
    });
  }

  test('webhook senders take over the agents of a crashed one when its lease expires', async () => {
    const [doomed, other] = await Promise.all([startSender({ CRASH_AT: 'webhook.after_send:2' }), startSender()]);
    assert.ok(doomed && other);
    // While the other sender is stopped, the doomed one gets the agents.
    other.child.kill('SIGSTOP');
    const orders = await placeOrders();
    await until('its death', async () => (hasEnded(doomed) ? true : undefined));
    other.child.kill('SIGCONT');
    await requireAllHeard(orders);
    survivor = other;
  });

  test('C23: a webhook sender that stops with SIGTERM loses or repeats no delivery', async () => {
    const staying = survivor ?? (await startSender());
    const leaving = await startSender();
    assert.equal(hasEnded(staying), false);
    const first = await placeOrders();
    assert.equal(await leaving.kill('SIGTERM'), 0, leaving.log());
    const orders = [...first, ...(await placeOrders())];
    assert.equal(await requireAllHeard(orders), 0);
  });
});
