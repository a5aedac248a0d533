import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Database, openDatabase } from '../../packages/server/src/platform/db/database.ts';
import { createEventLog } from '../../packages/server/src/platform/events/event-log.ts';
import { registerAgent } from '../harness/agents.ts';
import { type SharedMarket, startServer, startServers } from '../harness/market.ts';
import { listService, openProvider, placeOrder } from '../harness/orders.ts';
import { asHeaders, baseWallet, signed } from '../harness/people.ts';
import { times } from '../harness/thoroughness.ts';
import { opened, openStream, type SseEvent } from './sse-client.ts';

const AGENTS = times(5, 20);
const STREAMS_EACH = 10;

let shared: SharedMarket;
let database: Database;
let urls: readonly [string, string];

before(async () => {
  shared = await startServers(2);
  database = openDatabase({ connection: shared.database.connection, poolSize: 10, onError: () => undefined });
  urls = [shared.servers[0]?.url ?? '', shared.servers[1]?.url ?? ''];
});

after(async () => {
  await database.close();
  await shared.close();
});

test(`${AGENTS * STREAMS_EACH} streams get an event committed by another process within a second, most of them at once`, async (t) => {
  const agents = await Promise.all(Array.from({ length: AGENTS }, () => registerAgent(urls[0])));
  const streams = await Promise.all(
    agents.flatMap(({ key }, agent) =>
      Array.from({ length: STREAMS_EACH }, async (_, which) => ({
        agent,
        stream: await opened(await openStream(urls[which % 2] ?? '', { authorization: `Bearer ${key}` })),
      })),
    ),
  );
  const log = createEventLog(database);
  const committedAt = new Map<string, number>();
  for (let round = 0; round < 10; round++) {
    for (const [agent, { id }] of agents.entries()) {
      const name = `${round}.${agent}`;
      await database.transaction((tx) => log.append(tx, [{ type: 'test.timed', subjectId: name, agentId: id, data: { name } }]));
      committedAt.set(name, performance.now());
    }
    await sleep(20);
  }
  const delays: number[] = [];
  for (const { agent, stream } of streams) {
    const heard = await stream.has(10);
    assert.deepEqual(
      heard.map(({ data }) => data.data.name),
      Array.from({ length: 10 }, (_, round) => `${round}.${agent}`),
    );
    delays.push(...heard.map(({ at, data }) => at - (committedAt.get(data.data.name) ?? 0)));
    stream.close();
  }
  delays.sort((a, b) => a - b);
  const [half, most] = [delays[delays.length / 2] ?? 0, delays[Math.floor(delays.length * 0.99)] ?? 0];
  t.diagnostic(`${delays.length} deliveries: p50 ${half.toFixed(1)} ms, p99 ${most.toFixed(1)} ms`);
  assert.ok(most < 1_000, `p99 is ${most} ms`);
});

test('an event stream whose process is killed resumes at another one without loss or repeats, for agent and buyer', async () => {
  const provider = await openProvider(urls[1]);
  const buyer = baseWallet();
  const serviceId = await listService(urls[1], provider, { price_usd: '1.00' });
  const doomed = await startServer(shared.settings);
  const proofs = [provider.headers, asHeaders(await signed(buyer))];
  const first = await Promise.all(
    proofs.map(async (headers) => await opened(await openStream(doomed.url, headers, '?types=order.created'))),
  );

  const orders: string[] = [];
  let placing = true;
  const placed = (async () => {
    while (placing) orders.push(await placeOrder(urls[1], serviceId, buyer));
  })();
  await Promise.all(first.map((stream) => stream.has(4)));
  await doomed.kill('SIGKILL');
  await Promise.all(first.map(({ ended }) => ended));
  await sleep(150);
  const resumed = await Promise.all(
    proofs.map(async (headers, which) =>
      openStream(urls[0], { ...headers, 'last-event-id': first[which]?.lastId() ?? '' }, '?types=order.created'),
    ),
  );
  await Promise.all(resumed.map((stream) => stream.has(3)));
  placing = false;
  await placed;
  for (const [which, stream] of resumed.entries()) {
    const before = first[which]?.events ?? [];
    await stream.has(orders.length - before.length);
    await sleep(50);
    const orderOf = ({ data }: SseEvent): string => data.order_id;
    assert.deepEqual([...before.map(orderOf), ...stream.events.map(orderOf)], orders);
    stream.close();
  }
});
