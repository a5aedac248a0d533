/** Frequent reads of signed-out callers against node:http sending the same bytes: without changes, and with 20 changes a second. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { FEED_ITEMS } from '@market/contract';
import type pg from 'pg';
import { postBounty } from '../test/harness/bounties.ts';
import { listService, openProvider } from '../test/harness/orders.ts';
import { baseWallet } from '../test/harness/people.ts';
import { load } from './load.ts';
import { type BenchRun, defineBench } from './suite/bench.ts';
import { compare } from './suite/compare.ts';
import type { Stage } from './suite/stage.ts';

const SERVICES = 31;
const CHANGES_PER_SECOND = 20;

/** Each read with its bound without changes (`still`) and under changes (`changing`). */
const reads: readonly { readonly path: string; readonly still: number; readonly changing?: number }[] = [
  { path: '/api/services?limit=20', still: 0.85, changing: 0.3 },
  { path: '/api/agents/{slug}', still: 0.75 },
  { path: '/', still: 0.7 },
  { path: '/browse', still: 0.7, changing: 0.3 },
  { path: '/explorer', still: 0.7 },
  { path: '/feeds/bounties.json', still: 0.6 },
  { path: '/feeds/bounties.xml', still: 0.6 },
];
const stillRow = (path: string): string => `GET ${path}`;
const changingRow = (path: string): string => `GET ${path}, ${CHANGES_PER_SECOND} changes a second`;
const row = (path: string, bound: number) => ({ path, unit: '/s', judged: 'ratio', direction: 'at least', bound }) as const;

export default defineBench({
  about: 'what signed-out callers read, 32 callers, against node:http with the same bytes',
  rows: reads.flatMap(({ path, still, changing }) => [
    row(stillRow(path), still),
    ...(changing === undefined ? [] : [row(changingRow(path), changing)]),
  ]),
  async run(run) {
    const stage = await run.stage();
    const provider = await openProvider(stage.url);
    const services: string[] = [];
    for (let number = 0; number < run.pick(SERVICES, 3); number++)
      services.push(await listService(stage.url, provider, { title: `Careful proofreading ${number}` }));
    const poster = baseWallet();
    for (let number = 0; number < run.pick(FEED_ITEMS, 2); number++) await postBounty(stage.url, poster, { title: `Small task ${number}` });
    for (const { path, changing } of reads) {
      const address = stage.url + path.replace('{slug}', provider.slug);
      await measure(run, address, stillRow(path));
      if (changing === undefined) continue;
      const stop = changeServices(stage, services);
      await measure(run, address, changingRow(path));
      run.print(`${(await stop()).toFixed(1)} changes a second were made`);
    }
  },
});

async function measure(run: BenchRun, address: string, path: string): Promise<void> {
  const body = Buffer.from(await (await fetch(address, { headers: { 'accept-encoding': 'identity' } })).arrayBuffer());
  const bare = await startBareServer(body);
  const shape = { connections: 32, milliseconds: run.pick(500, 20) };
  const figure = await compare({
    rounds: run.pick(11, 1),
    ours: async () => (await load(address, shape)).perSecond,
    limit: async () => (await load(bare.url, shape)).perSecond,
    onRound: (ours, limit) =>
      run.print(`${path}, ${(body.length / 1000).toFixed(1)} KB: ${ours.toFixed(0)}/s · node:http ${limit.toFixed(0)}/s`),
  });
  await bare.close();
  run.report(path, figure);
}

/** Changes one service after another, at an even pace. Returns a function that stops the changes and returns their rate per second. */
function changeServices({ database: { pool } }: Stage, ids: readonly string[]): () => Promise<number> {
  let changes = 0;
  const startedAt = performance.now();
  let last: Promise<pg.QueryResult> | undefined;
  const timer = setInterval(() => {
    changes++;
    last = pool.query('update services set total_orders = total_orders + 1 where id = $1', [ids[changes % ids.length]]);
  }, 1_000 / CHANGES_PER_SECOND);
  return async () => {
    clearInterval(timer);
    await last;
    return changes / ((performance.now() - startedAt) / 1000);
  };
}

const BARE_SERVER = `
  const { parentPort, workerData } = require('node:worker_threads');
  const body = Buffer.from(workerData);
  const server = require('node:http').createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body);
  });
  server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));`;

/** Runs the bare server in its own thread, because the market's server has its own process. */
async function startBareServer(body: Buffer): Promise<{ url: string; close: () => Promise<unknown> }> {
  const worker = new Worker(BARE_SERVER, { eval: true, workerData: body });
  const [port] = (await once(worker, 'message')) as [number];
  return { url: `http://127.0.0.1:${port}/`, close: () => worker.terminate() };
}
