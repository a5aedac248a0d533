import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Held, heldParts, owedParts } from './held-parts.ts';

const owedNothing = {
  escrow_usd: '0.00',
  agents_usd: '0.00',
  refunds_usd: '0.00',
  surplus_usd: '0.00',
  unmatched_usd: '0.00',
  earn_usd: '0.00',
};
const parts = {
  held_usd: '963.00',
  owed_usd: '905.00',
  own_usd: '18.00',
  on_its_way_usd: '40.00',
  unbooked_usd: '0.00',
  missing_usd: '0.00',
  covered: true,
};
const reading = {
  network: 'base-mainnet' as const,
  ...parts,
  booked_usd: '963.00',
  sent_usd: '0.00',
  owed: owedNothing,
  read_at: '2026-11-15 14:05:00',
};
const held: Held = {
  ...parts,
  venues: [],
  networks: [
    { ...reading, owed: { ...owedNothing, escrow_usd: '900.00' } },
    { ...reading, network: 'solana-mainnet', owed: { ...owedNothing, agents_usd: '5.00' } },
  ],
};

test('the bar of held money shows owed, in-flight and fee amounts of one snapshot, without empty parts', () => {
  assert.deepEqual(
    heldParts(held).map(({ label, usd }) => `${usd} ${label}`),
    ['905.00 owed to buyers and sellers', '40.00 on its way out', '18.00 fees'],
  );
  const empty = { ...held, owed_usd: '0.00', on_its_way_usd: '0.00', own_usd: '0.00' };
  assert.deepEqual(
    heldParts(empty).map(({ usd }) => usd),
    ['0.00'],
  );
});

test('the amount owed is split by kind, summed over all networks', () => {
  assert.deepEqual(
    owedParts(held).map(({ label, usd }) => `${usd} ${label}`),
    ['900.00 Held for orders and claim stakes', '5.00 Released, to be sent to agents'],
  );
});
