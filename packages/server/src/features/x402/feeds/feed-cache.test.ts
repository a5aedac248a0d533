import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFeedCache, FEED_SECONDS } from './feed-cache.ts';

function setUp() {
  const world = { version: '1', nowMs: 0, made: 0 };
  const cache = createFeedCache({ version: async () => world.version, now: () => new Date(world.nowMs) });
  const read = () => cache.keep('feed', async () => ++world.made);
  return { world, cache, read };
}

test('a feed is cached until a service changes', async () => {
  const { world, read } = setUp();
  assert.deepEqual([await read(), await read()], [1, 1]);
  world.version = '2';
  assert.deepEqual([await read(), await read()], [2, 2]);
});

test('a feed is never cached for longer than its time', async () => {
  const { world, read } = setUp();
  await read();
  world.nowMs = FEED_SECONDS * 1000 - 1;
  assert.equal(await read(), 1);
  world.nowMs += 1;
  assert.equal(await read(), 2);
});

test('concurrent readers share one computation', async () => {
  const { read } = setUp();
  assert.deepEqual(await Promise.all([read(), read(), read()]), [1, 1, 1]);
});

test('a failure is not cached', async () => {
  const { cache, read } = setUp();
  await assert.rejects(
    cache.keep('feed', () => Promise.reject(new Error('no database'))),
    /no database/,
  );
  assert.equal(await read(), 1);
});

test('a feed begun before a change is not served after it', async () => {
  const { world, cache, read } = setUp();
  const { promise, resolve } = Promise.withResolvers<number>();
  const slow = cache.keep('feed', () => promise);
  await Promise.resolve();
  world.version = '2';
  assert.equal(await read(), 1);
  resolve(99);
  assert.equal(await slow, 99);
  assert.equal(await read(), 1);
});
