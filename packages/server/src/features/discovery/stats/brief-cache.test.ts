import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBriefCache } from './brief-cache.ts';

function openCache() {
  let now = 0;
  let made = 0;
  const cache = createBriefCache(() => new Date(now));
  const make = async () => ++made;
  return {
    pass: (ms: number) => {
      now += ms;
    },
    ask: (key = 'a', seconds = 5) => cache.keep(key, seconds, make),
    made: () => made,
    cache,
  };
}

test('the cache of statistics computes an answer once for concurrent readers and while it is cached', async () => {
  const { ask, pass, made } = openCache();
  assert.deepEqual(await Promise.all([ask(), ask(), ask()]), [1, 1, 1]);
  pass(4_999);
  assert.equal(await ask(), 1);
  pass(1);
  assert.equal(await ask(), 2);
  assert.equal(made(), 2);
});

test('the cache of statistics keeps one answer per key', async () => {
  const { ask } = openCache();
  assert.equal(await ask('a'), 1);
  assert.equal(await ask('b'), 2);
  assert.equal(await ask('a'), 1);
});

test('the cache of statistics does not cache a failure', async () => {
  const { cache } = openCache();
  const fail = () => cache.keep('a', 5, () => Promise.reject(new Error('no')));
  await assert.rejects(fail(), /no/);
  assert.equal(await cache.keep('a', 5, async () => 'yes'), 'yes');
});

test('the cache of statistics drops its oldest answers, so that a walk through all pages does not fill the memory', async () => {
  const { ask, made } = openCache();
  for (let page = 0; page < 600; page++) await ask(`page ${page}`);
  await ask('page 599');
  assert.equal(made(), 600);
  await ask('page 0');
  assert.equal(made(), 601);
});
