import assert from 'node:assert/strict';
import { test } from 'node:test';
import { creatorFeeSplit, type FeeParts, type FeePath, splitCreatorFee } from './split.ts';

const paths = Object.keys(creatorFeeSplit) as FeePath[];
const sumOf = ({ agent, partner, buyback }: FeeParts): bigint => agent + partner + buyback;

/** A seeded random generator; every failure message has the seed. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), state | 1) + 0x6d2b79f5) | 0;
    return (state >>> 0) / 2 ** 32;
  };
}

test('M30, P19: the fee of a launched token splits into 65, 23.33 and 11.67 percent, of an older token into 90 and 10', () => {
  assert.deepEqual(splitCreatorFee(10_000n, 'partner'), { agent: 6500n, partner: 2333n, buyback: 1167n });
  assert.deepEqual(splitCreatorFee(10_000n, 'legacy'), { agent: 9000n, partner: 0n, buyback: 1000n });
});

test('M30: the parts of every creator fee sum to it exactly, and the agent gets the remainder', () => {
  const seed = Math.floor(Math.random() * 2 ** 31);
  const next = numbers(seed);
  const large = Array.from({ length: 20_000 }, () => BigInt(Math.floor(next() * 2 ** 53)) * BigInt(1 + Math.floor(next() * 1000)));
  for (const path of paths) {
    const { partnerBps, buybackBps } = creatorFeeSplit[path];
    for (const lamports of [...Array.from({ length: 20_001 }, (_, n) => BigInt(n)), ...large]) {
      const parts = splitCreatorFee(lamports, path);
      assert.equal(sumOf(parts), lamports, `seed ${seed}, ${lamports}`);
      assert.ok(parts.agent * 10_000n >= lamports * (10_000n - partnerBps - buybackBps), `seed ${seed}, ${lamports}`);
      assert.ok(
        parts.partner >= 0n && parts.buyback >= 0n && parts.partner * 10_000n <= lamports * partnerBps,
        `seed ${seed}, ${lamports}`,
      );
    }
  }
});

test('M30: the same creator fees in any order give the same shares and the same sum', () => {
  const seed = Math.floor(Math.random() * 2 ** 31);
  const next = numbers(seed);
  const fees = Array.from({ length: 500 }, () => [BigInt(Math.floor(next() * 1e12)), paths[Math.floor(next() * 2)] ?? 'partner'] as const);
  const share = (list: typeof fees): bigint[] => {
    const totals = list.map(([lamports, path]) => splitCreatorFee(lamports, path));
    return (['agent', 'partner', 'buyback'] as const).map((part) => totals.reduce((sum, parts) => sum + parts[part], 0n));
  };
  const expected = share(fees);
  assert.equal(
    expected.reduce((sum, part) => sum + part),
    fees.reduce((sum, [lamports]) => sum + lamports, 0n),
  );
  for (let round = 0; round < 50; round++) {
    const shuffled = fees.map((fee) => [next(), fee] as const).sort(([a], [b]) => a - b);
    assert.deepEqual(share(shuffled.map(([, fee]) => fee)), expected, `seed ${seed}`);
  }
});

test('a negative creator fee is refused', () => {
  assert.throws(() => splitCreatorFee(-1n, 'partner'), RangeError);
});
