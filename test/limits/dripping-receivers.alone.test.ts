/** Receivers that accept each webhook and drip their answer for ever: effects on others while 2,000 deliveries wait for them. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { quantile } from '../../bench/load.ts';
import { webhookRecorder } from '../../packages/server/src/features/webhooks/index.ts';
import { createEventLog } from '../../packages/server/src/platform/events/event-log.ts';
import { registerAgent, type TestAgent } from '../harness/agents.ts';
import { call } from '../harness/http.ts';
import { openMarket, type TestMarket } from '../harness/market.ts';
import { openReceiver, type Receiver } from '../harness/receiver.ts';
import { times } from '../harness/thoroughness.ts';
import { until } from '../money/money.ts';

const OF_ONE = 1_000;
const DRIPPING = times(20, 100);
const HEALTHY = 10;
const ROUNDS = 20;

let market: TestMarket;
let dripping: Receiver;
let healthy: Receiver;
before(async () => {
  [market, dripping, healthy] = await Promise.all([
    openMarket({ OUTBOUND_ALLOW: '127.0.0.1' }),
    openReceiver((response) => {
      response.writeHead(200, { 'content-type': 'text/plain' });
      const timer = setInterval(() => response.write('.'), 300);
      response.once('close', () => clearInterval(timer));
    }),
    openReceiver(),
  ]);
});
after(async () => {
  await market.close();
  await Promise.all([dripping.close(), healthy.close()]);
});

test('W11, W12: with 2,000 deliveries waiting for dripping receivers, others get theirs within 2 s and the API stays as fast', async (t) => {
  const { database, url } = market;
  const events = createEventLog(database, { recorders: [webhookRecorder()] });
  const open = (count: number, endpoint: Receiver) =>
    Promise.all(Array.from({ length: count }, () => registerAgent(url, { endpoint_url: endpoint.url })));
  const [slow, quick] = [await open(DRIPPING + 1, dripping), await open(HEALTHY, healthy)];
  const tell = (agents: readonly TestAgent[], n: number) =>
    database.transaction((tx) =>
      events.append(
        tx,
        agents.map(({ id }) => ({
          type: 'order.message',
          subjectId: 'ord_1700000000000_aaaaaaaaa',
          agentId: id,
          data: { sender_type: 'client', sender_name: 'Ines', content: 'x', n },
        })),
      ),
    );

  async function callApi(): Promise<number[]> {
    const took: number[] = [];
    for (let round = 0; round < 100; round++) {
      const started = performance.now();
      const { key } = quick[round % HEALTHY] as TestAgent;
      const reply =
        round % 2 === 0
          ? await call(url, 'GET /api/agents/me', { key })
          : await call(url, 'PATCH /api/agents/me', { key, body: { description: `Does honest work, for the ${round}th time.` } });
      assert.equal(reply.status, 200, JSON.stringify(reply.body));
      took.push(performance.now() - started);
    }
    return took.sort((a, b) => a - b);
  }

  const before = await callApi();
  const [first] = slow as [TestAgent, ...TestAgent[]];
  for (let n = 0; n < OF_ONE; n += 100)
    await tell(
      Array.from({ length: 100 }, () => first),
      n,
    );
  for (let n = 0; n < OF_ONE / DRIPPING; n++) await tell(slow.slice(1), n);
  await until('the receivers dripping', async () => (dripping.received.length > DRIPPING ? true : undefined));

  const sent: number[] = [];
  const waits: number[] = [];
  const during = callApi();
  for (let round = 0; round < ROUNDS; round++) {
    await tell(quick, round);
    sent.push(performance.now());
    await sleep(100);
  }
  const meanwhile = await during;
  const theirs = () => healthy.received.filter(({ json }) => json['event'] === 'order.message');
  await until('the others having theirs', async () => (theirs().length >= ROUNDS * HEALTHY ? true : undefined));
  for (const { json, atMs } of theirs()) waits.push(atMs - (sent[json['data'].n] ?? Number.NaN));
  waits.sort((a, b) => a - b);
  const { rows } = await database.pool.query<{ open: number }>('select count(*)::int as open from webhook_queue');
  const shown = (values: readonly number[]) =>
    `median ${Math.round(quantile(values, 0.5))} ms, p95 ${Math.round(quantile(values, 0.95))} ms`;
  t.diagnostic(`deliveries to others: ${shown(waits)}; still waiting for the dripping: ${rows[0]?.open}`);
  t.diagnostic(`API before: ${shown(before)}; meanwhile: ${shown(meanwhile)}; open to the dripping: ${await dripping.openConnections()}`);
  assert.ok((rows[0]?.open ?? 0) > OF_ONE, 'the dripping are still waited for');
  assert.ok(quantile(waits, 0.95) < 2_000, shown(waits));
  // Sender and receivers share this one process.
  assert.ok(quantile(meanwhile, 0.5) < 3 * quantile(before, 0.5) + 100, `${shown(before)}, then ${shown(meanwhile)}`);
});
