import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTestDatabase, type TestDatabase } from '../../../../../test/harness/database.ts';
import { type Database, openDatabase } from '../db/database.ts';
import { limitedClient, siteOf } from './client-address.ts';
import { createRateLimiter, type RateLimiter } from './rate-limiter.ts';

let testDatabase: TestDatabase;
let database: Database;

before(async () => {
  testDatabase = await createTestDatabase();
  database = openDatabase({ connection: testDatabase.connection, poolSize: 10, onError: () => {} });
});

after(async () => {
  await database.close();
  await testDatabase.drop();
});

const advance = (seconds: number) => database.pool.query('update market_clock set offset_ms = offset_ms + $1', [seconds * 1000]);

test('the window of a limit starts with the first request, not at a clock boundary, and restarts after it ends', async () => {
  const limiter = createRateLimiter(database.pool, 1);
  const limit = { requests: 3, windowSeconds: 60 };
  const hit = async () => (await limiter.hit('GET /window', 'a', limit)).allowed;
  assert.equal(await hit(), true);
  await advance(45);
  assert.deepEqual([await hit(), await hit(), await hit()], [true, true, false]);
  await advance(16);
  assert.equal(await hit(), true);
});

test('of 200 concurrent requests through two limiters exactly the limit passes', async () => {
  const limiters = [createRateLimiter(database.pool, 1), createRateLimiter(database.pool, 1)];
  const limit = { requests: 30, windowSeconds: 3600 };
  const verdicts = await Promise.all(Array.from({ length: 200 }, (_, i) => limiters[i % 2]?.hit('GET /burst', 'b', limit)));
  assert.equal(verdicts.filter((verdict) => verdict?.allowed).length, 30);
  const remaining = verdicts.filter((verdict) => verdict?.allowed).map((verdict) => verdict?.remaining ?? -1);
  assert.deepEqual(
    remaining.sort((a, b) => a - b),
    Array.from({ length: 30 }, (_, i) => i),
  );
});

test('each endpoint and each client has its own counter', async () => {
  const limiter = createRateLimiter(database.pool, 1);
  const limit = { requests: 1, windowSeconds: 60 };
  assert.equal((await limiter.hit('GET /one', 'c', limit)).allowed, true);
  assert.equal((await limiter.hit('GET /two', 'c', limit)).allowed, true);
  assert.equal((await limiter.hit('GET /one', 'd', limit)).allowed, true);
  assert.equal((await limiter.hit('GET /one', 'c', limit)).allowed, false);
});

test('a recently counted client gets its verdict from memory up to half the limit, and every hit is counted', async () => {
  const alongside = `'counted'::text`;
  const [limiter, other] = [1, 2].map(() => createRateLimiter(database.pool, 1, { alongside, now: () => 0 })) as [RateLimiter, RateLimiter];
  const limit = { requests: 10, windowSeconds: 3600 };
  const atOnce = () => limiter.hitAtOnce('GET /at-once', 'f', limit);
  assert.equal(atOnce(), undefined);
  assert.equal((await limiter.hit('GET /at-once', 'f', limit)).remaining, 9);
  const verdicts = Array.from({ length: 6 }, atOnce);
  assert.deepEqual(
    verdicts.map((verdict) => verdict?.remaining),
    [8, 7, 6, 5, undefined, undefined],
  );
  assert.equal(verdicts[0]?.alongside, 'counted');
  assert.equal(limiter.hitAtOnce('GET /at-once', 'g', limit), undefined);
  assert.equal((await limiter.hit('GET /at-once', 'f', limit)).remaining, 4);
  assert.equal((await other.hit('GET /at-once', 'f', limit)).remaining, 3);
});

test('hits answered from memory are written to the database in the background', async () => {
  let now = 0;
  const limiter = createRateLimiter(database.pool, 1, { now: () => now });
  const limit = { requests: 10, windowSeconds: 3600 };
  await limiter.hit('GET /by-itself', 'h', limit);
  assert.equal(limiter.hitAtOnce('GET /by-itself', 'h', limit)?.remaining, 8);
  const countHits = async () => {
    const { rows } = await database.pool.query<{ hits: number }>(`select hits from rate_limit_windows where endpoint = 'GET /by-itself'`);
    return rows[0]?.hits;
  };
  while ((await countHits()) !== 2) await sleep(5);
  now += 11;
  assert.equal(limiter.hitAtOnce('GET /by-itself', 'h', limit), undefined, 'what is known is too old by now');
});

test('the scale multiplies the limit and never reaches zero', async () => {
  const limit = { requests: 10, windowSeconds: 60 };
  assert.equal((await createRateLimiter(database.pool, 2).hit('GET /scaled', 'e', limit)).limit, 20);
  assert.equal((await createRateLimiter(database.pool, 0.01).hit('GET /small', 'e', limit)).limit, 1);
});

test('Y17: an IPv6 client counts by its /64, and IPv4 inside IPv6 as that address, however either is written', () => {
  assert.equal(limitedClient('2001:db8:1:2:aaaa::1'), limitedClient('2001:db8:1:2::ffff'));
  assert.equal(limitedClient('[2001:0DB8:1:2::1]:443'), limitedClient('2001:db8:1:2::ffff'));
  assert.notEqual(limitedClient('2001:db8:1:2::1'), limitedClient('2001:db8:1:3::1'));
  for (const same of ['::ffff:192.0.2.7', '::ffff:c000:207', '0:0:0:0:0:FFFF:192.0.2.7', '192.0.2.7:5678', '[::ffff:192.0.2.7]:443'])
    assert.equal(limitedClient(same), '192.0.2.7', same);
  assert.equal(limitedClient('::1'), '0:0:0:0::/64');
  assert.equal(siteOf(limitedClient('2001:db8:1:2::1')), siteOf(limitedClient('2001:db8:1:ffff::1')));
  assert.notEqual(siteOf(limitedClient('2001:db8:1:2::1')), siteOf(limitedClient('2001:db8:2:2::1')));
  assert.equal(siteOf(limitedClient('192.0.2.7')), undefined);
});

test('Y17: the networks of one /48 share a larger limit, exact over two limiters, and one of them alone cannot use it up', async () => {
  const limiters = [1, 2].map(() => createRateLimiter(database.pool, 1, { siteTimes: 3 }));
  const limit = { requests: 10, windowSeconds: 3600 };
  const hits = async (endpoint: string, networks: readonly number[]) =>
    await Promise.all(
      networks.map((network, i) => limiters[i % 2]?.hit(endpoint, limitedClient(`2001:db8:5:${network.toString(16)}::1`), limit)),
    );
  const hopping = await hits(
    'GET /hop',
    Array.from({ length: 100 }, (_, network) => network),
  );
  assert.equal(hopping.filter((verdict) => verdict?.allowed).length, 30);
  const flood = await hits('GET /flood', Array<number>(200).fill(7));
  assert.equal(flood.filter((verdict) => verdict?.allowed).length, 10);
  const [neighbour] = await hits('GET /flood', [8]);
  assert.deepEqual([neighbour?.allowed, neighbour?.limit, neighbour?.remaining], [true, 10, 9]);
  const elsewhere = await limiters[0]?.hit('GET /hop', limitedClient('2001:db8:6::1'), limit);
  assert.equal(elsewhere?.remaining, 9);
});

test('Y17: a verdict from memory counts for the /48, too', async () => {
  const limiter = createRateLimiter(database.pool, 1, { siteTimes: 2, now: () => 0 });
  const limit = { requests: 10, windowSeconds: 3600 };
  const client = (network: number) => limitedClient(`2001:db8:7:${network}::1`);
  for (let network = 1; network <= 4; network++) await limiter.hit('GET /memory', client(network), limit);
  await Promise.all([1, 2, 3, 4].map((network) => limiter.hit('GET /memory', client(network), limit)));
  assert.notEqual(limiter.hitAtOnce('GET /memory', client(1), limit), undefined);
  assert.notEqual(limiter.hitAtOnce('GET /memory', client(2), limit), undefined);
  assert.equal(limiter.hitAtOnce('GET /memory', client(3), limit), undefined, 'the site has used half of its limit');
});
