import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Receipt } from '../../platform/chains/chain.ts';
import { giverOf, stillPays } from './book-receipt.ts';
import type { ClaimRow, ReceiptRow } from './repository.ts';

const seen = (...payers: Receipt['payers']) => {
  const receivedMicros = payers.reduce((sum, { micros }) => sum + micros, 0n);
  return { payers, receivedMicros } as Receipt;
};
const by = (address: string, micros: bigint) => ({ address, micros });

/** Whether a claim made while the chain showed `first` is still paid when it shows `now`. */
function pays(first: Receipt, now: Receipt, claim: Partial<ClaimRow> = {}): boolean {
  const known = { payer: giverOf(first), receivedMicros: first.receivedMicros } as ReceiptRow;
  return stillPays(
    known,
    { purpose: 'order', payer: 'ann', amountMicros: first.receivedMicros, priceMicros: 5n, ...claim } as ClaimRow,
    now,
  );
}

test('C07: a claim stays paid by the same payer with the same amount or more', () => {
  assert.equal(pays(seen(by('ann', 5n)), seen(by('ann', 5n))), true);
  assert.equal(pays(seen(by('ann', 5n)), seen(by('ann', 6n))), true);
  assert.equal(pays(seen(by('ann', 5n), by('ben', 2n)), seen(by('ann', 6n), by('ben', 1n))), true);
});

test('C07: a claim is not paid by less money, the surplus included', () => {
  assert.equal(pays(seen(by('ann', 5n)), seen(by('ann', 4n))), false);
  assert.equal(pays(seen(by('ann', 8n)), seen(by('ann', 6n))), false);
  assert.equal(pays(seen(by('ann', 5n)), seen()), false);
});

test('C07: a claim is not paid by another payer, alone or among several', () => {
  assert.equal(pays(seen(by('ann', 5n)), seen(by('ben', 5n))), false);
  assert.equal(pays(seen(by('ann', 5n)), seen(by('ann', 4n), by('ben', 1n))), false);
  assert.equal(pays(seen(by('ann', 5n), by('ben', 2n)), seen(by('ann', 4n), by('ben', 3n))), false);
  assert.equal(pays(seen(by('ann', 5n), by('ben', 2n)), seen(by('ben', 5n), by('cat', 2n))), false);
});

test('C07: a return from a venue counts by its amount alone', () => {
  const claim = { purpose: 'earn_return', payer: 'router' } as const;
  assert.equal(pays(seen(by('venue', 5n)), seen(by('venue', 3n), by('pool', 2n)), claim), true);
  assert.equal(pays(seen(by('venue', 5n)), seen(by('venue', 4n)), claim), false);
});
