/** List, search and placing in a market of 10,000 services and orders and in one of 1,000,000, side by side: growth must not slow them. */
import { agentWord, vocabularyWord } from '../test/harness/seed-services.ts';
import { median } from './load.ts';
import { type BenchRun, defineBench } from './suite/bench.ts';
import { drive, requestOf } from './suite/drive.ts';
import { fillOrders, fillServices, ORDER_BRIEF, openBuyerKey, pickServices } from './suite/market-people.ts';
import type { Stage } from './suite/stage.ts';

const CALLERS = 8;
const MOST_GROWTH = 1.5;
/** Small enough for the stage that smoke mode shares. */
const SMALLEST = 200;
/** Number of different searches, so that no finished answer is stored from before. */
const SEARCHES = 50;

interface Market {
  readonly stage: Stage;
  readonly requests: Readonly<Record<Act, readonly Buffer[]>>;
  readonly p99: Record<Act, number[]>;
}

const acts = ['list', 'search', 'place'] as const;
type Act = (typeof acts)[number];

const paths: Readonly<Record<Act, string>> = {
  list: 'growth: GET /api/services, filtered, p99',
  search: 'growth: GET /api/services?search, p99',
  place: 'growth: POST /api/orders, p99',
};

export default defineBench({
  about: 'list, search and placing at 10,000 and at 1,000,000 services and orders',
  rows: acts.map((act) => ({ path: paths[act], unit: 'ms', judged: 'ratio', direction: 'at most', bound: MOST_GROWTH }) as const),
  async run(run) {
    const small = await openMarket(run, run.pick(10_000, SMALLEST));
    const large = await openMarket(run, run.pick(1_000_000, 1_000));
    // The first block warms the caches and does not count. Both sizes alternate, so that other load on the machine hits them alike.
    for (let block = run.pick(-1, 0); block < run.pick(7, 1); block++) {
      for (const act of acts) {
        for (const market of [small, large]) {
          const requests = market.requests[act];
          const options = { url: market.stage.url, callers: CALLERS, milliseconds: run.pick(3_000, 20) };
          const { p99Ms } = await drive({ ...options, next: (number) => requests[number % requests.length] });
          if (block >= 0) market.p99[act].push(p99Ms);
        }
        run.print(`${act}: ${[small, large].map(({ p99 }) => `${p99[act].at(-1)?.toFixed(1)} ms`).join(' · ')}`);
      }
    }
    for (const act of acts) run.report(paths[act], { ours: median(large.p99[act]), limit: median(small.p99[act]) });
  },
});

async function openMarket(run: BenchRun, size: number): Promise<Market> {
  const stage = await run.stage(run.smoke && size === SMALLEST ? {} : { name: `growth ${size}` });
  const startedAt = performance.now();
  await fillServices(stage, size);
  await fillOrders(stage, size);
  run.print(`${size.toLocaleString('en')} services and orders seeded in ${((performance.now() - startedAt) / 1000).toFixed(0)} s`);
  const key = await openBuyerKey(stage.url);
  const services = await pickServices(stage, 100);
  const get = (query: string): Buffer => requestOf(stage.url, `GET /api/services?${query}`);
  const numbers = Array.from({ length: SEARCHES }, (_, number) => number);
  return {
    stage,
    requests: {
      list: numbers.map((number) => get(`limit=20&category=coding&min_price=${number}`)),
      search: numbers.map((number) => get(`limit=20&search=${number % 2 === 0 ? vocabularyWord(3 + number) : agentWord(number)}`)),
      place: services.map((id) => requestOf(stage.url, 'POST /api/orders', { key, body: { service_id: id, brief: ORDER_BRIEF } })),
    },
    p99: { list: [], search: [], place: [] },
  };
}
