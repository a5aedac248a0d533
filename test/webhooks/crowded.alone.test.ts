/** Thousands of events for a hundred receivers, of which ten hang and ten fail: the others are not delayed. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { quantile } from '../../bench/load.ts';
import { type Answering, openReceiver, type Receiver } from '../harness/receiver.ts';
import { times } from '../harness/thoroughness.ts';
import { until } from '../money/money.ts';
import { type Engine, openEngine } from './engine.ts';

const RECEIVERS = 100;
const HANGING = 10;
const FAILING = 10;
const ROUNDS = times(20, 100);
/** The number of events per transaction, each for another agent. */
const AT_ONCE = 25;
const STEADY_MS = times(3_200, 16_000);
const P99_MS = 2_000;

let engine: Engine;
const receivers: Receiver[] = [];
before(async () => {
  engine = await openEngine();
  for (let number = 0; number < RECEIVERS; number++) receivers.push(await openReceiver(behaviourOf(number)));
  await engine.startSender();
});
after(async () => {
  await engine.close();
  await Promise.all(receivers.map((receiver) => receiver.close()));
});

/** Hanging and failing receivers are spread among the others. */
function behaviourOf(number: number): Answering {
  if (number % 10 === 3) return () => undefined;
  if (number % 10 === 7) return (response) => void response.writeHead(503).end();
  return (response) => void response.end();
}

const isHealthy = (number: number): boolean => number % 10 !== 3 && number % 10 !== 7;

test(`W11: of ${ROUNDS * RECEIVERS} events the ${RECEIVERS - HANGING - FAILING} healthy receivers get each once, in sequence, 99% within 2 s of the commit`, async (t) => {
  const agents = await Promise.all(receivers.map(({ url }) => engine.addAgent(url)));
  const committedAtMs = new Map<string, number>();
  const transactions = (ROUNDS * RECEIVERS) / AT_ONCE;
  const startedAt = performance.now();
  for (let number = 0; number < transactions; number++) {
    const from = (number * AT_ONCE) % RECEIVERS;
    const round = Math.floor((number * AT_ONCE) / RECEIVERS);
    await engine.tell(agents.slice(from, from + AT_ONCE), { n: round });
    const now = performance.now();
    for (let agent = from; agent < from + AT_ONCE; agent++) committedAtMs.set(`${agent} ${round}`, now);
    await sleep(Math.max(0, startedAt + ((number + 1) * STEADY_MS) / transactions - performance.now()));
  }
  await until(
    'the healthy ones having theirs',
    async () => (receivers.every(({ received }, number) => !isHealthy(number) || received.length >= ROUNDS) ? true : undefined),
    20,
  );

  const waits: number[] = [];
  for (const [number, { received }] of receivers.entries()) {
    if (!isHealthy(number)) continue;
    assert.deepEqual(
      received.map(({ json }) => json['data'].n),
      [...Array(ROUNDS).keys()],
      `receiver ${number}: each once, in order`,
    );
    for (const { json, atMs } of received) waits.push(atMs - (committedAtMs.get(`${number} ${json['data'].n}`) ?? Number.NaN));
  }
  waits.sort((a, b) => a - b);
  assert.equal(waits.length, ROUNDS * (RECEIVERS - HANGING - FAILING));
  const [median, p99] = [quantile(waits, 0.5), quantile(waits, 0.99)];
  t.diagnostic(`median ${Math.round(median)} ms, p99 ${Math.round(p99)} ms`);
  assert.ok(p99 < P99_MS, `p99 ${Math.round(p99)} ms, median ${Math.round(median)} ms`);
});

test('W11: when more endpoints hang than there are sending slots, healthy endpoints are served within 1.5 s', async (t) => {
  const limits = { prompt: 10, doubtful: 5, total: 60, slowMs: 250 };
  const small = await openEngine({ limits });
  t.after(small.close);
  const [hanging, quick] = [await openReceiver(() => undefined), await openReceiver()];
  t.after(hanging.close);
  t.after(quick.close);
  await small.startSender();
  const stuck = await Promise.all(Array.from({ length: 40 }, () => small.addAgent(hanging.url)));
  const healthy = await Promise.all(Array.from({ length: 10 }, () => small.addAgent(quick.url)));
  // Three deliveries each, so that another attempt always waits for the next free slot.
  for (let round = 0; round < 3; round++) await small.tell(stuck);
  await until('the endpoints hanging', async () =>
    hanging.received.length >= limits.total - limits.prompt - limits.doubtful ? true : undefined,
  );
  const committedAt = performance.now();
  await small.tell(healthy);
  await until('the others having theirs', async () => (quick.received.length === healthy.length ? true : undefined));
  const waited = Math.max(...quick.received.map(({ atMs }) => atMs)) - committedAt;
  assert.ok(waited < 1_500, `${Math.round(waited)} ms`);
  assert.ok(hanging.received.length <= limits.total, 'never more at once than there are places');
});
