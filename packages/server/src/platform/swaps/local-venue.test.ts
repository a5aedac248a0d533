import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Pool, priceOf } from './local-venue.ts';

test('no sequence of swaps takes more out of the pool than its product allows', () => {
  const seed = Math.floor(Math.random() * 2 ** 31);
  let [state, pool] = [seed, { usdcMicros: 150_000_000_000n, lamports: 1_000_000_000_000n } as Pool];
  for (let n = 0; n < 2_000; n++) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    const amount = BigInt(1 + (state % 10_000_000_000));
    const out = priceOf(pool, amount);
    const after = { usdcMicros: pool.usdcMicros + amount, lamports: pool.lamports - out };
    assert.ok(out >= 0n && after.lamports > 0n, `seed ${seed}`);
    assert.ok(after.usdcMicros * after.lamports >= pool.usdcMicros * pool.lamports, `seed ${seed}`);
    pool = after;
  }
});

test('a swap of an empty pool gives 0, a small amount gives the price less 0.3 percent', () => {
  assert.equal(priceOf({ usdcMicros: 0n, lamports: 0n }, 1_000_000n), 0n);
  const out = priceOf({ usdcMicros: 150_000_000_000n, lamports: 1_000_000_000_000n }, 150_000n);
  assert.ok(out <= 997_000n && out >= 996_990n, String(out));
});
