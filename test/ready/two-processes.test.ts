/** Two processes cache answers of one database: neither shows an answer from before a change that its reader knows of. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openFamily, type ProcessFamily } from '../faults/market-processes.ts';
import { call, expectCall } from '../harness/http.ts';
import { listService, openProvider, type Provider } from '../harness/orders.ts';
import { times } from '../harness/thoroughness.ts';
import { randomOf, seedOfRun } from './random.ts';

const WRITERS = 5;
const READERS = 6;
const WRITES = times(12, 40);
const ROUNDS = times(6, 25);

interface Seller {
  readonly provider: Provider;
  readonly serviceId: string;
}

let family: ProcessFamily;
let urls: [string, string];
let sellers: Seller[];
before(async () => {
  family = await openFamily();
  urls = (await Promise.all([0, 1].map(() => family.start({ JOBS: 'off' })))).map(({ url }) => url) as [string, string];
  sellers = await Promise.all(
    Array.from({ length: WRITERS }, async () => {
      const provider = await openProvider(urls[0]);
      return { provider, serviceId: await listService(urls[0], provider) };
    }),
  );
});
after(() => family.close());

const seed = seedOfRun();
const random = randomOf(seed);
const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;

const addressesOf = ({ provider: { slug }, serviceId }: Seller): string[] => [
  `/api/services/${serviceId}`,
  `/api/agents/${slug}`,
  `/api/agents/${slug}/services`,
  `/api/services?agent=${slug}`,
  `/agents/${slug}`,
];
const shared = [
  '/api/services?limit=20',
  '/api/services?sortBy=cheapest',
  '/api/agents',
  '/api/x402/services',
  '/api/stats/held',
  '/',
  '/browse',
];

/** The text of an answer, or the data of a page, without its own time and without presence, which may be a second late. */
async function read(url: string, path: string, headers: Record<string, string> = {}): Promise<string> {
  const response = await fetch(url + path, { headers });
  const text = await response.text();
  assert.equal(response.status, 200, `${path}: ${text.slice(0, 300)}`);
  const data = /<script type="application\/json" id="state">(.*)<\/script>/.exec(text)?.[1] ?? text;
  return data.replaceAll(/"(now|dataUpdatedAt|dehydratedAt)":\d+|"as_of":"[^"]*"|"presence":\{[^}]*\}|"alive_agents":\d+/g, '');
}

test('a writer’s next read shows the write, at either process, while others read and write', async () => {
  let isOver = false;
  let reads = 0;
  const readers = Array.from({ length: READERS }, async () => {
    while (!isOver) {
      await read(pick(urls), pick([...shared, ...addressesOf(pick(sellers))]));
      reads++;
    }
  });
  const stale: string[] = [];
  const writers = sellers.map(async (seller, n) => {
    for (let round = 0; round < WRITES; round++) {
      const title = `Proofreading ${n} round ${round}`;
      const headers = seller.provider.headers;
      await expectCall(pick(urls), 200, `PATCH /api/services/${seller.serviceId}`, { headers, body: { title } });
      const url = pick(urls);
      const path = pick(addressesOf(seller));
      if (!(await read(url, path)).includes(title)) stale.push(`${path} at ${url} in round ${round}`);
    }
  });
  await Promise.all(writers).finally(() => {
    isOver = true;
  });
  await Promise.all(readers);
  assert.deepEqual(stale, [], `seed ${seed}`);
  assert.ok(reads > WRITES, `only ${reads} reads beside`);
});

test('after random writes at two processes every cached answer equals a new one', async () => {
  // The home page shows figures that are counted only every few seconds.
  const paths = [...shared.filter((path) => path !== '/'), ...sellers.flatMap(addressesOf)];
  for (let round = 0; round < ROUNDS; round++) {
    const written: string[] = [];
    for (let writes = 1 + Math.floor(random() * 3); writes > 0; writes--) written.push(await writeSomething());
    for (const url of urls) {
      for (const path of paths.filter(() => random() < 0.5)) {
        const kept = await read(url, path);
        const anew = await read(pick(urls), path, { 'x-made': 'anew' });
        assert.equal(kept, anew, `${path} after ${written.join(', ')} (round ${round}, seed ${seed})`);
      }
    }
  }
});

/** Writes over HTTP, or by SQL as other processes, jobs and operators do. */
async function writeSomething(): Promise<string> {
  const { provider, serviceId } = pick(sellers);
  const url = pick(urls);
  const number = Math.floor(random() * 1_000);
  const writes: Record<string, () => Promise<unknown>> = {
    title: () =>
      expectCall(url, 200, `PATCH /api/services/${serviceId}`, { headers: provider.headers, body: { title: `Title ${number}` } }),
    price: () =>
      expectCall(url, 200, `PATCH /api/services/${serviceId}`, { headers: provider.headers, body: { price_usd: `${number + 1}.00` } }),
    description: () =>
      expectCall(url, 200, 'PATCH /api/agents/me', {
        headers: provider.headers,
        body: { description: `An agent that does honest work, number ${number}.` },
      }),
    service: () => call(url, 'POST /api/services', { headers: provider.headers, body: {} }),
    figures: () =>
      family.database.query('update agent_figures set completed_orders = $1, total_orders = $1 where agent_id = $2', [number, provider.id]),
    orders: () => family.database.query('update services set completed_orders = $1 where id = $2', [number, serviceId]),
    review: () =>
      family.database.query('update services set rating_sum = 4 * $1, rating_count = $1 where id = $2', [1 + (number % 9), serviceId]),
    reading: () =>
      family.database.query(
        `insert into treasury_readings (network, held_micros, escrow_micros, agents_micros, refunds_micros, surplus_micros, unmatched_micros,
           in_flight_micros, own_micros, read_at) values ('base-mainnet', $1, 0, 0, 0, 0, 0, 0, $1, market_now())
         on conflict (network) do update set held_micros = $1, own_micros = $1`,
        [number],
      ),
    rollback: async () => {
      await family.database.query('begin; update services set total_orders = total_orders + 1; rollback');
    },
  };
  const name = pick(Object.keys(writes));
  await writes[name]?.();
  return name;
}
