import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keepPrices } from './kept-prices.ts';
import type { TokenPrice } from './price-source.ts';

const MINUTES = 60_000;

function countingSource() {
  const calls: string[][] = [];
  let failing = false;
  return {
    calls,
    fail(value: boolean) {
      failing = value;
    },
    async read(mints: readonly string[]) {
      calls.push([...mints]);
      await new Promise((resolve) => setTimeout(resolve, 5));
      if (failing) throw new Error('no answer');
      return new Map<string, TokenPrice | null>(mints.map((mint) => [mint, mint === 'none' ? null : { priceUsd: 2, marketCapUsd: null }]));
    },
  };
}

test('concurrent requests share one call per mint, and prices are kept for five minutes, missing ones too', async () => {
  const source = countingSource();
  let time = 1;
  const prices = keepPrices(source, () => time);
  await Promise.all([prices.read(['a', 'none']), prices.read(['none', 'a']), prices.read(['a', 'b'])]);
  assert.deepEqual(source.calls, [['a', 'none'], ['b']]);
  time += 4 * MINUTES;
  assert.deepEqual(
    await prices.read(['a', 'none']),
    new Map([
      ['a', { priceUsd: 2, marketCapUsd: null }],
      ['none', null],
    ] as const),
  );
  assert.equal(source.calls.length, 2);
  time += 2 * MINUTES;
  await prices.read(['none']);
  assert.deepEqual(source.calls.at(-1), ['none']);
});

test('all callers that wait for a price get the failure, and it is not cached', async () => {
  const source = countingSource();
  const prices = keepPrices(source);
  source.fail(true);
  const both = await Promise.allSettled([prices.read(['a']), prices.read(['a'])]);
  assert.deepEqual(
    both.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  assert.equal(source.calls.length, 1);
  source.fail(false);
  assert.equal((await prices.read(['a'])).get('a')?.priceUsd, 2);
});
