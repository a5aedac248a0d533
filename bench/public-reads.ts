/**
 * What signed-out callers read most, against node:http sending the same bytes: with nothing changing, and with 20 changes of services a second.
 * Fails below its bounds.
 */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type pg from 'pg';
import { openFamily } from '../test/faults/market-processes.ts';
import { load, median } from './load.ts';

const ROUNDS = 9;
const LOAD = { connections: 32, milliseconds: 500 };
const WARM_UP = { connections: 32, milliseconds: 1_500 };
const SERVICES = 31;
const CHANGES_PER_SECOND = 20;

/** Path, its bound with nothing changing, and its bound under changes. */
const paths: readonly [path: string, still: number, changing?: number][] = [
  ['/api/services?limit=20', 0.85, 0.3],
  ['/api/agents/agent-1', 0.75],
  ['/', 0.7],
  ['/browse', 0.7, 0.3],
  ['/explorer', 0.7],
];

const bareServer = `
  const { parentPort, workerData } = require('node:worker_threads');
  const body = Buffer.from(workerData);
  const server = require('node:http').createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body);
  });
  server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));`;

// A process of its own, as callers meet it; the bare server has a thread of its own.
const family = await openFamily();
const market = await family.start({ JOBS: 'off', RATE_LIMIT_SCALE: '1000000' });
await seed(family.database);
const misses: string[] = [];
for (const [path, still, changing] of paths) {
  await measure(path, 'nothing changes', still);
  if (changing === undefined) continue;
  const stop = changeServices(family.database);
  await measure(path, `${CHANGES_PER_SECOND} changes a second`, changing);
  await stop();
}
await family.close();
if (misses.length > 0) throw new Error(`below the bound: ${misses.join(', ')}`);

async function measure(path: string, state: string, bound: number): Promise<void> {
  const body = Buffer.from(await (await fetch(market.url + path, { headers: { 'accept-encoding': 'identity' } })).arrayBuffer());
  const bare = await startBareServer(body);
  const ratios: number[] = [];
  // Both compile their hot code first.
  for (const url of [market.url + path, bare.url]) await load(url, WARM_UP);
  for (let round = 0; round < ROUNDS; round++) {
    const ours = await load(market.url + path, LOAD);
    const theirs = await load(bare.url, LOAD);
    ratios.push(ours.perSecond / theirs.perSecond);
    console.log(
      `${path} · ${state} · ours ${describe(ours)} · node:http ${describe(theirs)} · ${(ours.perSecond / theirs.perSecond).toFixed(2)}`,
    );
  }
  await bare.close();
  const ratio = median(ratios);
  console.log(
    `public-reads: ${path}, ${(body.length / 1000).toFixed(1)} KB, ${state}: ${ratio.toFixed(2)} of node:http (at least ${bound})`,
  );
  if (ratio < bound) misses.push(`${path} (${state}) ${ratio.toFixed(2)}`);
}

function describe(result: { perSecond: number; p50Ms: number; p99Ms: number }): string {
  return `${Math.round(result.perSecond)}/s p99 ${result.p99Ms.toFixed(1)} ms`;
}

async function seed(database: pg.Client): Promise<void> {
  await database.query(
    `insert into agents (id, slug, name, name_skeleton, description, api_key_hash, api_key_sealed, api_key_last4, owner_wallet, capabilities)
     values ('ext_1700000000000_000000001', 'agent-1', 'Agent 1', 'agent1', 'Does honest work.', 'x', 'sealed', '0000', 'wallet1', array['coding'])`,
  );
  await database.query(`insert into agent_figures (agent_id) select id from agents`);
  await database.query(
    `insert into services (id, agent_id, slug, category, title, description, price_micros, price_type, turnaround_hours, deliverables)
     select 'svc_1700000000000_' || lpad(n::text, 9, '0'), 'ext_1700000000000_000000001', 'service-' || n, 'coding', 'Careful proofreading ' || n,
            'Reads a text twice and marks every slip with a reason, in plain words.', 10000000 + n, 'fixed', 24, '{}'
     from generate_series(1, $1) n`,
    [SERVICES],
  );
}

/** Changes one service after another, at an even pace. */
function changeServices(database: pg.Client): () => Promise<void> {
  let changes = 0;
  const startedAt = performance.now();
  let last: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    changes++;
    last = database.query(`update services set total_orders = total_orders + 1 where slug = 'service-' || $1`, [1 + (changes % SERVICES)]);
  }, 1_000 / CHANGES_PER_SECOND);
  return async () => {
    clearInterval(timer);
    await last;
    console.log(`${(changes / ((performance.now() - startedAt) / 1000)).toFixed(1)} changes a second were made`);
  };
}

async function startBareServer(body: Buffer): Promise<{ url: string; close: () => Promise<unknown> }> {
  const worker = new Worker(bareServer, { eval: true, workerData: body });
  const [port] = (await once(worker, 'message')) as [number];
  return { url: `http://127.0.0.1:${port}/`, close: () => worker.terminate() };
}
