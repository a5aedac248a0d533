/** Orders placed by API key against five inserts in one transaction, and how late their notifications are written. */
import { setTimeout as sleep } from 'node:timers/promises';
import { median } from './load.ts';
import { prepareBareOrders } from './suite/bare-orders.ts';
import { type BenchRun, defineBench } from './suite/bench.ts';
import { compare, perSecond } from './suite/compare.ts';
import { type Drive, drive, requestOf } from './suite/drive.ts';
import { fillServices, ORDER_BRIEF, openBuyerKey, openSeller, pickServices } from './suite/market-people.ts';
import type { Stage } from './suite/stage.ts';

const CALLERS = 32;
const BEHIND = 'orders: what follows is behind by';

const markets = [
  { path: 'POST /api/orders, one seller', services: async (stage: Stage) => [(await openSeller(stage.url)).serviceId] },
  {
    path: 'POST /api/orders, a thousand sellers',
    async services(stage: Stage, run: BenchRun) {
      await fillServices(stage, run.pick(20_000, 200));
      return await pickServices(stage, 1_000);
    },
  },
];

export default defineBench({
  about: 'placing orders by API key, 32 callers, against five inserts in one transaction',
  rows: [
    ...markets.flatMap(({ path }) => [
      { path, unit: '/s', judged: 'ratio', direction: 'at least', bound: 0.4 } as const,
      { path: `${path}, p99`, unit: 'ms', judged: 'ours', direction: 'at most', bound: 100 } as const,
    ]),
    { path: BEHIND, unit: 'ms', judged: 'ours', direction: 'at most', bound: 100 },
  ],
  async run(run) {
    const stage = await run.stage();
    const key = await openBuyerKey(stage.url);
    const bare = await prepareBareOrders(stage.database.pool);
    const behind: number[] = [];
    for (const { path, services } of markets) {
      const ids = await services(stage, run);
      const slowest: number[] = [];
      const place = async (): Promise<number> => {
        const placed = await placeOrders(stage, key, ids, run.pick(4_000, 50));
        slowest.push(placed.p99Ms);
        behind.push(await untilFollowed(stage));
        return placed.perSecond;
      };
      // Warms the server and the bare inserts up.
      if (!run.smoke) await place();
      slowest.length = 0;
      const figure = await compare({
        rounds: run.pick(5, 1),
        ours: place,
        limit: async () => await perSecond(run.pick(4_000, 40), CALLERS, bare),
        onRound: (ours, limit) =>
          run.print(`${path}: ${ours.toFixed(0)}/s, p99 ${slowest.at(-1)?.toFixed(0)} ms · bare ${limit.toFixed(0)}/s`),
      });
      run.report(path, figure);
      run.report(`${path}, p99`, { ours: median(slowest) });
    }
    run.report(BEHIND, { ours: median(behind) });
  },
});

async function placeOrders({ url }: Stage, key: string, services: readonly string[], milliseconds: number): Promise<Drive> {
  const requests = services.map((id) => requestOf(url, 'POST /api/orders', { key, body: { service_id: id, brief: ORDER_BRIEF } }));
  return await drive({ url, callers: CALLERS, milliseconds, next: (number) => requests[number % requests.length] });
}

const GIVE_UP_MS = 60_000;

/** How long after the last answer every order of a program has its notification. */
async function untilFollowed({ database: { pool } }: Stage): Promise<number> {
  const startedAt = performance.now();
  while (performance.now() - startedAt < GIVE_UP_MS) {
    const { rows } = await pool.query<{ left: number }>(
      // Notifications of cheap and unpaid orders are grouped, so sum their counts.
      `select (select count(*) from orders where client_agent_id is not null)
         - (select coalesce(sum(count), 0) from notifications where type = 'provider_order_received') as left`,
    );
    if (Number(rows[0]?.left) <= 0) return performance.now() - startedAt;
    await sleep(5);
  }
  throw new Error('orders are still without notifications after a minute');
}
