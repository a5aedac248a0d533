import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { feeOf, formatSixUsd, formatUsd, parseUsd, splitPrice, splitRest, withFeeOnTop } from './money.ts';

test('amounts print with two decimals, and with more only if those are not zero', () => {
  const rows: [bigint, string][] = [
    [0n, '0.00'],
    [5_500_000n, '5.50'],
    [1n, '0.000001'],
    [10n, '0.00001'],
    [1_234_567_890n, '1234.56789'],
    [-2_500_000n, '-2.50'],
  ];
  for (const [micros, text] of rows) assert.equal(formatUsd(micros), text);
});

test('amounts of Earn print with six decimals, negative ones with their sign', () => {
  assert.deepEqual([0n, 5_500_000n, 1n, -1n, -12_000_000n].map(formatSixUsd), [
    '0.000000',
    '5.500000',
    '0.000001',
    '-0.000001',
    '-12.000000',
  ]);
});

test('M20: only plain decimal notation with at most 6 decimals is an amount', () => {
  const good: [string, bigint][] = [
    ['5.50', 5_500_000n],
    ['0', 0n],
    ['0.000001', 1n],
    ['1000000', 1_000_000_000_000n],
  ];
  for (const [text, micros] of good) assert.equal(parseUsd(text), micros);
  const bad = [
    '',
    ' 12 ',
    '1e3',
    '0x10',
    '-1',
    '+1',
    'NaN',
    'Infinity',
    '1,000',
    '1.',
    '.5',
    '01',
    '1.0000001',
    '5abc',
    '١',
    '1000000000000',
  ];
  for (const text of bad) assert.equal(parseUsd(text), undefined, text);
});

test('a printed amount is parsed back exactly', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 999_999_999_999_999_999n }), (micros) => assert.equal(parseUsd(formatUsd(micros)), micros)),
  );
});

test('M19: a split sums to the price, and the fee is a tenth, rounded half up', () => {
  assert.deepEqual([feeOf(1n), feeOf(4n), feeOf(5n), feeOf(19_990_000n), feeOf(1_005_005n)], [0n, 0n, 1n, 1_999_000n, 100_501n]);
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 18n }), (price) => {
      const { agentMicros, feeMicros } = splitPrice(price);
      assert.equal(agentMicros + feeMicros, price);
      assert.ok(feeMicros * 10n >= price - 5n && feeMicros * 10n <= price + 5n);
      assert.equal(withFeeOnTop(price) - price, feeMicros);
    }),
  );
});

test('M19: a split by a ruling takes the fee of the unrefunded rest only, and never more than a release', () => {
  const onTop = { paidMicros: 110_000_000n, priceMicros: 100_000_000n };
  assert.deepEqual(splitRest(onTop, 1_000_000n), { agentMicros: 99_090_909n, feeMicros: 9_909_091n });
  assert.deepEqual(splitRest({ paidMicros: 10_000_000n, priceMicros: 10_000_000n }, 4_000_000n), {
    agentMicros: 5_400_000n,
    feeMicros: 600_000n,
  });
  // 15 of 22 with a fee of 2: 1.36. 11 of 22: exactly 1. 3 of 6 with 1 on top: half a micro is rounded up.
  assert.deepEqual(
    [splitRest({ paidMicros: 22n, priceMicros: 20n }, 7n), splitRest({ paidMicros: 22n, priceMicros: 20n }, 11n)].map((of) => of.feeMicros),
    [1n, 1n],
  );
  assert.deepEqual(splitRest({ paidMicros: 6n, priceMicros: 5n }, 3n), { agentMicros: 2n, feeMicros: 1n });
  fc.assert(
    fc.property(fc.bigInt({ min: 2n, max: 10n ** 18n }), fc.bigInt({ min: 0n, max: 10n ** 18n }), fc.boolean(), (price, seed, isOnTop) => {
      const paid = isOnTop ? withFeeOnTop(price) : price;
      const refund = seed % price;
      const { agentMicros, feeMicros } = splitRest({ paidMicros: paid, priceMicros: price }, refund);
      assert.equal(agentMicros + feeMicros + refund, paid);
      assert.ok(agentMicros >= 0n && feeMicros >= 0n && feeMicros <= feeOf(price));
      const exact = isOnTop ? { share: paid - price, of: paid } : { share: 1n, of: 10n };
      const twice = 2n * feeMicros * exact.of - 2n * (paid - refund) * exact.share;
      assert.ok(twice <= exact.of && twice > -exact.of, 'rounded half up');
    }),
  );
});
