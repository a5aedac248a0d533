import assert from 'node:assert/strict';
import { test } from 'node:test';
import { partWorth, readWanted, thousandthsOf, WHOLE } from './withdraw-draft.ts';

const holding = { shares: '99000000', value_usd: '110.000000' };

test('a withdrawn amount becomes shares, never more than held; the whole value withdraws all shares', () => {
  assert.deepEqual(readWanted(holding, '55'), { shares: '49500000' });
  assert.deepEqual(readWanted(holding, '1.000001'), { shares: '900001' }, 'rounded up to what reaches the amount');
  assert.deepEqual(readWanted(holding, '0.999999'), { problem: 'Take out at least 1.00 USDC, or everything.' });
  assert.deepEqual(readWanted(holding, '110'), { all: true });
  assert.deepEqual(readWanted({ shares: '3', value_usd: '1.00' }, '0.99'), { all: true });
  for (const amount of ['', '0', 'ten', '110.000001']) assert.ok('problem' in readWanted(holding, amount), amount);
  assert.ok('problem' in readWanted({ shares: '5', value_usd: null }, '1'), 'a venue that cannot be read');
});

test('the slider and the amount of a withdrawal agree', () => {
  assert.equal(partWorth(holding, WHOLE / 2), '55.00');
  assert.equal(thousandthsOf(holding, '55.00'), WHOLE / 2);
  assert.equal(thousandthsOf(holding, '1000'), WHOLE);
  assert.equal(thousandthsOf(holding, 'x'), 0);
  assert.equal(partWorth({ shares: '5', value_usd: null }, 10), null);
});
