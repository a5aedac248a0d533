import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { feeOf, formatUsd, parseUsd, splitPrice, withFeeOnTop } from './money.ts';

test('amounts print with two decimals, more only where they are not zero', () => {
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
