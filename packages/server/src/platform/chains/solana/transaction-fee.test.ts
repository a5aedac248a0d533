import assert from 'node:assert/strict';
import { test } from 'node:test';
import { priceAmong } from './transaction-fee.ts';

test('the priority price follows the recent market price, within its bounds', () => {
  assert.equal(priceAmong([]), 1_000n);
  assert.equal(priceAmong([0, 0, 0]), 1_000n);
  assert.equal(priceAmong([40_000, 10_000, 30_000, 20_000]), 40_000n);
  assert.equal(priceAmong([...Array<number>(80).fill(2_000), ...Array<number>(20).fill(9_000_000)]), 2_000n);
  assert.equal(priceAmong(Array<number>(10).fill(9_000_000)), 1_000_000n);
});
