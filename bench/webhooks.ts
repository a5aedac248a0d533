/**
 * Webhooks sent per second against a bare undici loop that signs and sends the same bodies to the same receivers, as many at a time.
 * Ours are read from the database, sent in order per agent, and count once their outcome is written down there.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { Agent } from 'undici';
import { type Engine, openEngine, secretOf } from '../test/webhooks/engine.ts';
import { median } from './load.ts';

const ROUNDS = 9;
const AGENTS = 50;
const PER_AGENT = 1_000;
const TOTAL = AGENTS * PER_AGENT;
const BOUND = 0.7;
const MESSAGE = 'Could you also look at the second page? The totals there do not match the ones on page one. '.repeat(4);

if (process.argv[2] === 'receive') receive();
else await compare();

const ANSWER = Buffer.from('HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nok');

/**
 * The receivers are a process of their own, as they would be; in truth they are other people's machines, so they do as little as they can:
 * read to the end of a request and say ok.
 */
function receive(): void {
  const server = createServer((socket) => {
    let missing = 0;
    socket.setNoDelay(true);
    socket.on('data', (bytes) => {
      missing = missing > 0 ? missing - bytes.length : bytesAfter(bytes);
      if (missing === 0) socket.write(ANSWER);
    });
    socket.on('error', () => socket.destroy());
  });
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
}

/** Of the request that begins here. */
function bytesAfter(bytes: Buffer): number {
  const headEnd = bytes.indexOf('\r\n\r\n');
  const length = /\r\ncontent-length: (\d+)/i.exec(bytes.toString('latin1', 0, headEnd))?.[1];
  if (headEnd < 0 || length === undefined) throw new Error('a request came in an unexpected form');
  return headEnd + 4 + Number(length) - bytes.length;
}

async function compare(): Promise<void> {
  const receiver = fork(import.meta.filename, ['receive']);
  const [port] = (await once(receiver, 'message')) as [number];
  const engine = await openEngine();
  const agents = await Promise.all(
    Array.from({ length: AGENTS }, (_, number) => engine.addAgent(`http://127.0.0.1:${port}/agents/${number}`)),
  );
  const ratios: number[] = [];
  // The first round warms both up and does not count.
  for (let round = 0; round <= ROUNDS; round++) {
    await fill(engine, agents);
    const bodies = await readBodies(engine);
    const theirs = await sendBare(port, bodies);
    const ours = await sendOurs(engine);
    if (round === 0) continue;
    ratios.push(ours / theirs);
    console.log(`webhooks ${Math.round(ours)}/s · bare undici ${Math.round(theirs)}/s · ratio ${(ours / theirs).toFixed(2)}`);
  }
  const ratio = median(ratios);
  console.log(`webhooks: ${ratio.toFixed(2)} of a bare undici loop (median of ${ROUNDS}, ${AGENTS} at a time; bound ${BOUND})`);
  await engine.close();
  await stop(receiver);
  process.exitCode = ratio >= BOUND ? 0 : 1;
}

/** One event is told through the front door; the others are copies of its delivery, because telling is not what is measured. */
async function fill({ database: { pool }, tell }: Engine, agents: readonly string[]): Promise<void> {
  await tell(agents, { content: MESSAGE });
  await pool.query(
    `with fresh as (
       insert into webhook_deliveries (id, agent_id, agent_seq, event_id, event, order_id, body)
       select gen_random_uuid(), d.agent_id, d.agent_seq * ${PER_AGENT} * 1000 + n, d.event_id, d.event, d.order_id, d.body
       from webhook_queue q join webhook_deliveries d using (agent_id, agent_seq) cross join generate_series(2, ${PER_AGENT}) n
       returning agent_id, agent_seq)
     insert into webhook_queue (agent_id, agent_seq) select agent_id, agent_seq from fresh`,
  );
  await pool.query('vacuum analyze webhook_deliveries, webhook_queue, webhook_attempts');
}

interface Body {
  readonly agent_id: string;
  readonly id: string;
  readonly event: string;
  readonly body: string;
}

async function readBodies({ database }: Engine): Promise<Body[][]> {
  const { rows } = await database.pool.query<Body>(
    `select agent_id, id, event, body from webhook_queue join webhook_deliveries using (agent_id, agent_seq) order by agent_id, agent_seq`,
  );
  return [...Map.groupBy(rows, ({ agent_id }) => agent_id).values()];
}

/** With the bare parts, too. */
function sign(secret: string, seconds: number, body: string): string {
  return `t=${seconds},v1=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`;
}

/** One lane per agent, one call after the other in each, over kept connections. */
async function sendBare(port: number, lanes: readonly (readonly Body[])[]): Promise<number> {
  const dispatcher = new Agent({ connections: AGENTS });
  const started = performance.now();
  await Promise.all(
    lanes.map(async (bodies, number) => {
      for (const { agent_id, id, event, body } of bodies) {
        const answer = await dispatcher.request({
          origin: `http://127.0.0.1:${port}`,
          path: `/agents/${number}`,
          method: 'POST',
          headers: {
            'Content-Type': 'application/json',
            'X-Market-Event': event,
            'X-Market-Agent-Id': agent_id,
            'X-Market-Delivery-Id': id,
            'X-Market-Signature': sign(secretOf(agent_id), Math.floor(Date.now() / 1000), body),
          },
          body,
          headersTimeout: 5_000,
          bodyTimeout: 5_000,
        });
        await answer.body.text();
        if (answer.statusCode !== 200) throw new Error(`answered ${answer.statusCode}`);
      }
    }),
  );
  const seconds = (performance.now() - started) / 1000;
  await dispatcher.close();
  return TOTAL / seconds;
}

async function sendOurs(engine: Engine): Promise<number> {
  const sender = await engine.openSender();
  const started = performance.now();
  sender.start();
  for (;;) {
    // From the end, where the last of each agent waits: from the front it would read past everything that was deleted.
    const { rows } = await engine.database.pool.query('select 1 from webhook_queue order by agent_id desc, agent_seq desc limit 1');
    if (rows.length === 0) break;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const seconds = (performance.now() - started) / 1000;
  await sender.stop();
  const { rows } = await engine.database.pool.query(
    `select count(*)::int as failed from webhook_attempts where ends_as is distinct from 'delivered'`,
  );
  if (rows[0].failed > 0) throw new Error(`${rows[0].failed} were not delivered`);
  return TOTAL / seconds;
}

async function stop(child: ChildProcess): Promise<void> {
  child.kill();
  await once(child, 'exit');
}
