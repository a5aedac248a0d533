import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseUsd } from '@market/contract';
import { readLinks } from '../../orders/dispute/read-links.ts';
import { type AtStake, sharesOf } from './split-ruling.ts';

const standard: AtStake = { heldUsd: '180.00', priceUsd: '180.00', providerUsd: '162.00' };
const machine: AtStake = { heldUsd: '198.00', priceUsd: '180.00', providerUsd: '180.00' };

const sum = (shares: ReturnType<typeof sharesOf>): bigint =>
  Object.values(shares ?? {}).reduce((total, usd) => total + (parseUsd(usd) ?? 0n), 0n);

test('the shares of a ruling always sum to the held amount, to the last micro', () => {
  for (const stake of [standard, machine])
    for (const ruling of ['release', 'refund', 'split'] as const)
      for (const refund of ['0.01', '60.00', '33.333333', '179.99'])
        assert.equal(sum(sharesOf(ruling, refund, stake)), parseUsd(stake.heldUsd));
});

test('the fee of a split applies only to the released part: a tenth of it, or the share on top of the price', () => {
  assert.deepEqual(sharesOf('split', '60.00', standard), { providerUsd: '108.00', feeUsd: '12.00', buyerUsd: '60.00' });
  assert.deepEqual(sharesOf('split', '1.00', { heldUsd: '110.00', priceUsd: '100.00', providerUsd: '100.00' }), {
    providerUsd: '99.090909',
    feeUsd: '9.909091',
    buyerUsd: '1.00',
  });
});

test('an invalid split is refused: 0, everything, more than held, and malformed amounts', () => {
  for (const refund of ['', '0', '180', '180.00', '200', '-1', '1e2', 'half'])
    assert.equal(sharesOf('split', refund, standard), undefined, refund);
});

test('links to evidence are read one per line, and the first invalid one is named', () => {
  assert.deepEqual(readLinks('https://example.com/a\n\n  http://example.com/b  '), {
    urls: ['https://example.com/a', 'http://example.com/b'],
  });
  assert.match(readLinks('https://example.com/a\njavascript:alert(1)').wrong ?? '', /javascript:alert\(1\)/);
});
