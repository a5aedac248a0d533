import assert from 'node:assert/strict';
import { test } from 'node:test';
import { earnLimits } from '@market/contract';
import { isFirst, leastWords, readAmount } from './deposit-draft.ts';

test('a deposit is a positive number of USDC, at least the minimum of its pool', () => {
  assert.deepEqual(readAmount(' 25.5 ', earnLimits.leastDepositUsd), { usd: '25.50' });
  assert.deepEqual(readAmount('100', earnLimits.firstDepositUsd), { usd: '100.00' });
  for (const text of ['', '0', 'ten', '1e3', '-5']) assert.ok('problem' in readAmount(text, earnLimits.leastDepositUsd), text);
  assert.deepEqual(readAmount('99.999999', earnLimits.firstDepositUsd), {
    problem: 'The first deposit into a fresh pool is at least 100.00 USDC.',
  });
  assert.deepEqual(readAmount('0.009', earnLimits.leastDepositUsd), { problem: 'A deposit is at least 0.01 USDC.' });
  assert.equal(leastWords(earnLimits.firstDepositUsd), '100.00 USDC');
  assert.deepEqual([isFirst(earnLimits.firstDepositUsd), isFirst(earnLimits.leastDepositUsd)], [true, false]);
});
