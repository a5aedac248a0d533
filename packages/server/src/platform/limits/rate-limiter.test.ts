import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTestDatabase, type TestDatabase } from '../../../../../test/harness/database.ts';
import { type Database, openDatabase } from '../db/database.ts';
import { limitedClient } from './client-address.ts';
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

test('the window starts with the first request, not at a clock boundary, and restarts after it ends', async () => {
  const limiter = createRateLimiter(database.pool, 1);
  const limit = { requests: 3, windowSeconds: 60 };
  const hit = async () => (await limiter.hit('GET /window', 'a', limit)).allowed;
  assert.equal(await hit(), true);
  await advance(45);
  assert.deepEqual([await hit(), await hit(), await hit()], [true, true, false]);
  await advance(16);
  assert.equal(await hit(), true);
});

test('of 200 parallel requests through two limiters exactly the limit passes', async () => {
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
  const alongside = `'told'::text`;
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
  assert.equal(verdicts[0]?.alongside, 'told');
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

test('an IPv6 client counts by its /64, and a mapped IPv4 address as that address', () => {
  assert.equal(limitedClient('2001:db8:1:2:aaaa::1'), limitedClient('2001:db8:1:2::ffff'));
  assert.notEqual(limitedClient('2001:db8:1:2::1'), limitedClient('2001:db8:1:3::1'));
  assert.equal(limitedClient('::ffff:192.0.2.7'), '192.0.2.7');
  assert.equal(limitedClient('::1'), '0:0:0:0::/64');
});
