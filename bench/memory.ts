/** Memory of the server's process: at rest, after 100,000 mixed requests, and after as many again. */
import { setTimeout as sleep } from 'node:timers/promises';
import { defineBench } from './suite/bench.ts';
import { drive, requestOf } from './suite/drive.ts';
import { fillServices, ORDER_BRIEF, openBuyerKey, openSeller } from './suite/market-people.ts';

const CALLERS = 32;
const REST_MS = { full: 5_000, smoke: 100 };

export default defineBench({
  about: 'resident memory at rest and after 100,000 mixed requests, twice',
  rows: [
    { path: 'memory: at rest', unit: 'MB', judged: 'ours', direction: 'at most', bound: 170 },
    { path: 'memory: after 100,000 requests', unit: 'MB', judged: 'ours', direction: 'at most', bound: 350 },
    // Memory stays flat: the second round adds at most a tenth.
    { path: 'memory: after 100,000 more', unit: 'MB', judged: 'ratio', direction: 'at most', bound: 1.1 },
  ],
  async run(run) {
    const stage = await run.stage({ chains: true });
    const { url } = stage;
    const rest = async (): Promise<number> => {
      await sleep(run.pick(REST_MS.full, REST_MS.smoke));
      return stage.memory();
    };
    const idle = await rest();
    run.print(`at rest: ${idle.toFixed(0)} MB`);
    run.report('memory: at rest', { ours: idle });

    await fillServices(stage, run.pick(10_000, 200));
    const [seller, key] = [await openSeller(url), await openBuyerKey(url)];
    const order = requestOf(url, 'POST /api/orders', { key, body: { service_id: seller.serviceId, brief: ORDER_BRIEF } });
    const reads = [
      'GET /api/services?limit=20',
      `GET /api/agents/${seller.slug}`,
      'GET /api/services?search=bade&limit=20',
      'GET /',
      'GET /api/agents',
      'GET /browse',
      `GET /api/services/${seller.serviceId}`,
      'GET /api/platform-stats',
    ].map((route) => requestOf(url, route));
    // One request in ten places an order; one is a read of a signed-in caller.
    const mixed = [order, ...reads, requestOf(url, 'GET /api/orders', { key })];
    const count = run.pick(100_000, 40);
    const round = async (): Promise<number> => {
      const { perSecond } = await drive({ url, callers: CALLERS, next: (n) => (n < count ? mixed[n % mixed.length] : undefined) });
      const after = await rest();
      run.print(`after ${count} requests at ${perSecond.toFixed(0)}/s: ${after.toFixed(0)} MB`);
      return after;
    };
    const first = await round();
    const second = await round();
    run.report('memory: after 100,000 requests', { ours: first });
    run.report('memory: after 100,000 more', { ours: second, limit: first });
  },
});
