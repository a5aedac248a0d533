/**
 * Webhooks sent per second against a bare undici loop that signs and sends the same bodies to the same receivers, equally many at a time.
 * The market reads them from the database, sends them in order per agent, and counts each after storing its outcome.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import path from 'node:path';
import { Agent } from 'undici';
import { type Engine, openEngine, secretOf } from '../test/webhooks/engine.ts';
import { median } from './load.ts';
import { defineBench, type Figure } from './suite/bench.ts';

const AGENTS = 50;
const PATH = 'webhooks sent';
const MESSAGE = 'Could you also look at the second page? The totals there do not match the ones on page one. '.repeat(4);

export default defineBench({
  about: 'webhooks sent and written down against a bare undici loop',
  rows: [{ path: PATH, unit: '/s', judged: 'ratio', direction: 'at least', bound: 0.55 }],
  async run(run) {
    const receiver = fork(path.join(import.meta.dirname, 'suite', 'webhook-receiver.ts'));
    run.atEnd(() => stop(receiver));
    const [port] = (await once(receiver, 'message')) as [number];
    const engine = await openEngine();
    run.atEnd(engine.close);
    const perAgent = run.pick(1_000, 10);
    const agents = await Promise.all(
      Array.from({ length: AGENTS }, (_, number) => engine.addAgent(`http://127.0.0.1:${port}/agents/${number}`)),
    );
    const pairs: Figure[] = [];
    // The first round warms both sides up and does not count.
    for (let round = 0; round <= run.pick(9, 1); round++) {
      await fill(engine, agents, perAgent);
      const bodies = await readBodies(engine);
      const limit = (AGENTS * perAgent) / (await sendBare(port, bodies));
      const ours = (AGENTS * perAgent) / (await sendOurs(engine));
      if (round === 0) continue;
      run.print(`webhooks ${ours.toFixed(0)}/s · bare undici ${limit.toFixed(0)}/s · ratio ${(ours / limit).toFixed(2)}`);
      pairs.push({ ours, limit, ratio: ours / limit });
    }
    const middle = (key: 'ours' | 'limit' | 'ratio'): number => median(pairs.map((pair) => pair[key] ?? Number.NaN));
    run.report(PATH, { ours: middle('ours'), limit: middle('limit'), ratio: middle('ratio') });
  },
});

/** Queues one event through the engine and copies its delivery: queueing is not measured. */
async function fill({ database: { pool }, tell }: Engine, agents: readonly string[], perAgent: number): Promise<void> {
  await tell(agents, { content: MESSAGE });
  await pool.query(
    `with fresh as (
       insert into webhook_deliveries (id, agent_id, agent_seq, event_id, event, order_id, body)
       select gen_random_uuid(), d.agent_id, d.agent_seq * ${perAgent} * 1000 + n, d.event_id, d.event, d.order_id, d.body
       from webhook_queue q join webhook_deliveries d using (agent_id, agent_seq) cross join generate_series(2, ${perAgent}) n
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

/** Signs with bare `node:crypto`, because signing belongs to the bare loop. */
function sign(secret: string, seconds: number, body: string): string {
  return `t=${seconds},v1=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`;
}

/** Sends one webhook after the other per agent, over kept-alive connections. Returns the seconds it took. */
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
  return seconds;
}

async function sendOurs(engine: Engine): Promise<number> {
  const sender = await engine.openSender();
  const started = performance.now();
  sender.start();
  for (;;) {
    // Search from the end: from the front, PostgreSQL would read past all deleted rows.
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
  return seconds;
}

async function stop(child: ChildProcess): Promise<void> {
  child.kill();
  await once(child, 'exit');
}
