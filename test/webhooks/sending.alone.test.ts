/** Sending of webhooks: sequence, schedule, ids, and endpoint changes between attempts. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { after, before, describe, type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answering, openReceiver, type Received, type Receiver } from '../harness/receiver.ts';
import { until } from '../money/money.ts';
import { type Engine, openEngine, secretOf } from './engine.ts';

const lateness = monitorEventLoopDelay({ resolution: 10 });
let engine: Engine;
before(async () => {
  lateness.enable();
  engine = await openEngine();
  await engine.startSender();
});
after(() => engine.close());

/** An agent with its own receiver. */
async function openAgent(t: TestContext, answering?: Answering): Promise<{ agent: string; receiver: Receiver }> {
  const receiver = await openReceiver(answering);
  t.after(receiver.close);
  return { agent: await engine.addAgent(receiver.url), receiver };
}

const failing: Answering = (response) => void response.writeHead(500).end('broken');
const hanging: Answering = () => undefined;
const numberOf = ({ json }: Received): number => json['data'].n;
const idOf = ({ headers }: Received): string => String(headers['x-market-delivery-id']);

async function untilReceived(receiver: Receiver, count: number, seconds = 20): Promise<readonly Received[]> {
  await until(`${count} calls`, async () => (receiver.received.length >= count ? true : undefined), seconds);
  return receiver.received;
}

/** The ends of the agent's deliveries, in sequence. */
async function untilEnded(agent: string): Promise<string[]> {
  return await until('everything being sent', async () => {
    const { rows } = await engine.database.pool.query(
      `select (select ends_as from webhook_attempts a where a.agent_id = d.agent_id and a.agent_seq = d.agent_seq and ends_as is not null) as state,
              exists (select 1 from webhook_queue q where q.agent_id = d.agent_id and q.agent_seq = d.agent_seq) as open
       from webhook_deliveries d where agent_id = $1 order by agent_seq`,
      [agent],
    );
    return rows.some(({ open }) => open) ? undefined : rows.map(({ state }) => state);
  });
}

/** Allows 150 ms beside the schedule, and the longest delay of this process, which is both sender and receiver. */
function assertAbout(ms: number, expected: number): void {
  const most = 150 + lateness.max / 1e6;
  assert.ok(Math.abs(ms - expected) <= most, `${Math.round(ms)} ms instead of ${expected}, where ${Math.round(most)} are allowed`);
}

describe('a delivery', { concurrency: true }, () => {
  test('D12: a webhook is one POST with five headers, a body of three keys and a signature over time and raw body', async (t) => {
    const { agent, receiver } = await openAgent(t);
    await engine.tell([agent], { content: 'Grüße', missing: undefined });
    const [got] = await untilReceived(receiver, 1);
    assert.ok(got);
    assert.equal(
      got.text,
      '{"event":"order.message","order_id":"ord_1700000000000_aaaaaaaaa","data":{"sender_type":"client","sender_name":"Ines","content":"Grüße"}}',
    );
    const { 'content-type': type, 'x-market-event': event, 'x-market-agent-id': agentId, 'x-market-signature': signature } = got.headers;
    assert.deepEqual([got.method, type, event, agentId], ['POST', 'application/json', 'order.message', agent]);
    assert.match(idOf(got), /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    const [, seconds, digest] = /^t=(\d{10}),v1=([0-9a-f]{64})$/.exec(String(signature)) ?? [];
    assert.ok(Math.abs(Number(seconds) - Date.now() / 1000) < 5, 'dated now');
    assert.equal(digest, createHmac('sha256', secretOf(agent)).update(`${seconds}.${got.text}`).digest('hex'));
  });

  test('W09, P17: a failed webhook is retried after 1 s and 4 s under the same id, with a new date and signature', async (t) => {
    const endings: number[] = [];
    const { agent, receiver } = await openAgent(t, async (response) => {
      await sleep(60);
      response.writeHead(500).end('broken', () => endings.push(performance.now()));
    });
    await engine.tell([agent]);
    const [first, second, third] = await untilReceived(receiver, 3);
    assert.ok(first && second && third);
    assertAbout(second.atMs - (endings[0] ?? 0), 1_000);
    assertAbout(third.atMs - (endings[1] ?? 0), 4_000);
    assert.deepEqual([idOf(second), second.text], [idOf(first), first.text]);
    assert.deepEqual([idOf(third), third.text], [idOf(first), first.text]);
    assert.equal(new Set([first, second, third].map(({ headers }) => headers['x-market-signature'])).size, 3);
    assert.deepEqual(await untilEnded(agent), ['failed']);
    await sleep(300);
    assert.equal(receiver.received.length, 3);
  });

  test('W06: a webhook ends with the first 2xx after any failures; a redirect is a failure', async (t) => {
    const statuses = [302, 204];
    const { agent, receiver } = await openAgent(t, (response) => void response.writeHead(statuses.shift() ?? 500, { location: '/' }).end());
    await engine.tell([agent]);
    assert.deepEqual(await untilEnded(agent), ['delivered']);
    assert.equal(receiver.received.length, 2);
  });

  test('P17: a webhook without an answer within 5 s has failed', async (t) => {
    const { agent, receiver } = await openAgent(t, hanging);
    await engine.tell([agent]);
    await untilReceived(receiver, 1);
    receiver.answer((response) => void response.end());
    const [first, second] = await untilReceived(receiver, 2);
    assert.ok(first && second);
    assertAbout(second.atMs - first.atMs, 6_000);
    assert.deepEqual(await untilEnded(agent), ['delivered']);
  });
});

describe('several deliveries of an agent', { concurrency: true }, () => {
  test('webhooks of an agent start in the sequence of events, each after the previous attempt ended', async (t) => {
    let open = 0;
    let most = 0;
    const { agent, receiver } = await openAgent(t, async (response) => {
      open += 1;
      most = Math.max(most, open);
      await sleep(Math.random() * 8);
      open -= 1;
      response.end();
    });
    for (let n = 0; n < 60; n++) await engine.tell([agent], { n });
    const received = await untilReceived(receiver, 60);
    assert.deepEqual(received.map(numberOf), [...Array(60).keys()]);
    assert.equal(most, 1);
    assert.equal(new Set(received.map(idOf)).size, 60);
  });

  test('webhooks of an agent continue while one of them waits for its retry', async (t) => {
    const { agent, receiver } = await openAgent(t, (response, got) => void response.writeHead(numberOf(got) === 0 ? 500 : 200).end());
    for (let n = 0; n < 5; n++) await engine.tell([agent], { n });
    assert.deepEqual((await untilReceived(receiver, 5)).map(numberOf), [0, 1, 2, 3, 4]);
    assert.deepEqual(await untilEnded(agent), ['failed', 'delivered', 'delivered', 'delivered', 'delivered']);
    assert.deepEqual(receiver.received.map(numberOf), [0, 1, 2, 3, 4, 0, 0]);
  });

  test('webhooks of an agent are not delayed by another agent whose endpoint hangs', async (t) => {
    const [slow, quick] = [await openAgent(t, hanging), await openAgent(t)];
    for (let n = 0; n < 5; n++) await engine.tell([slow.agent, quick.agent], { n });
    const startedAt = performance.now();
    await untilReceived(quick.receiver, 5);
    assert.ok(performance.now() - startedAt < 1_500);
  });
});

describe('an endpoint that changes between two attempts', () => {
  test('W13: an endpoint changed between two attempts receives the next one', async (t) => {
    const { agent, receiver } = await openAgent(t, failing);
    const { receiver: moved } = await openAgent(t);
    await engine.tell([agent]);
    await untilReceived(receiver, 1);
    await engine.database.pool.query('update agents set endpoint_url = $2 where id = $1', [agent, moved.url]);
    const [there] = await untilReceived(moved, 1);
    assert.equal(there && idOf(there), idOf(receiver.received[0] as Received));
    assert.deepEqual(await untilEnded(agent), ['delivered']);
    assert.equal(receiver.received.length, 1);
  });

  test('removing the endpoint between two attempts ends the delivery', async (t) => {
    const { agent, receiver } = await openAgent(t, failing);
    await engine.tell([agent]);
    await untilReceived(receiver, 1);
    await engine.database.pool.query('update agents set endpoint_url = null where id = $1', [agent]);
    assert.deepEqual(await untilEnded(agent), ['dropped']);
    assert.equal(receiver.received.length, 1);
  });

  test('an agent without endpoint has no deliveries at all', async () => {
    const agent = await engine.addAgent(null);
    await engine.tell([agent]);
    assert.deepEqual(await untilEnded(agent), []);
  });
});

describe('a receiver’s answer', { concurrency: true }, () => {
  test('W08: a webhook answer of any size counts by its status, and only its beginning is stored', async (t) => {
    const { agent } = await openAgent(t, (response) => void response.end(`\0${'ü'.repeat(600_000)}`));
    await engine.tell([agent]);
    assert.deepEqual(await untilEnded(agent), ['delivered']);
    const { rows } = await engine.database.pool.query('select answer from webhook_attempts where agent_id = $1', [agent]);
    assert.match(rows[0].answer, /^\ufffdü{511}\ufffd$/);
  });

  test('W08: a webhook answer that trickles endlessly is a failure after 5 s, with bounded memory', async (t) => {
    const { agent, receiver } = await openAgent(t, (response) => {
      const drip = setInterval(() => response.write('.'), 50);
      response.on('close', () => clearInterval(drip));
    });
    await engine.tell([agent]);
    await untilReceived(receiver, 1);
    receiver.answer((response) => void response.end());
    const [first, second] = await untilReceived(receiver, 2);
    assert.ok(first && second);
    assertAbout(second.atMs - first.atMs, 6_000);
    const { rows } = await engine.database.pool.query('select status, error from webhook_attempts where agent_id = $1 and number = 1', [
      agent,
    ]);
    assert.deepEqual(rows, [{ status: 200, error: 'No answer within 5000 ms.' }]);
  });
});

test('a webhook sender that lost its lease records nothing, and the delivery is sent again under its id', async (t) => {
  let answer: (() => void) | undefined;
  const { agent, receiver } = await openAgent(t, async (response) => {
    await new Promise<void>((resolve) => {
      answer = resolve;
    });
    response.end();
  });
  await engine.tell([agent]);
  await untilReceived(receiver, 1);
  await engine.database.pool.query(
    `update webhook_lanes set lease_number = lease_number + 1, lease_until = clock_timestamp() + interval '1 minute' where agent_id = $1`,
    [agent],
  );
  answer?.();
  // Long enough for the sender to notice at its next renewal.
  await sleep(3_500);
  const written = async (table: string) =>
    (await engine.database.pool.query(`select 1 from ${table} where agent_id = $1`, [agent])).rowCount;
  assert.deepEqual([await written('webhook_queue'), await written('webhook_attempts')], [1, 0]);
  await engine.database.pool.query('update webhook_lanes set lease_until = null where agent_id = $1', [agent]);
  receiver.answer((response) => void response.end());
  assert.deepEqual(await untilEnded(agent), ['delivered']);
  assert.deepEqual([receiver.received.length, new Set(receiver.received.map(idOf)).size, await written('webhook_attempts')], [2, 1, 1]);
});

test('several processes share the agents: each has one webhook sender at a time, and every event arrives once, in sequence', async (t) => {
  const others = [await engine.startSender(), await engine.startSender()];
  t.after(() => Promise.all(others.map((sender) => sender.stop())));
  const agents = await Promise.all(Array.from({ length: 12 }, () => openAgent(t)));
  for (let n = 0; n < 20; n++)
    await engine.tell(
      agents.map(({ agent }) => agent),
      { n },
    );
  for (const { receiver } of agents) assert.deepEqual((await untilReceived(receiver, 20)).map(numberOf), [...Array(20).keys()]);
  await sleep(200);
  for (const { receiver } of agents) assert.equal(receiver.received.length, 20);
});
