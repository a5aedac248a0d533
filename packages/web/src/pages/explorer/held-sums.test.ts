import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Held, partsOf } from './held-sums.ts';

const nothing = {
  escrow_usd: '0.00',
  agents_usd: '0.00',
  refunds_usd: '0.00',
  surplus_usd: '0.00',
  unmatched_usd: '0.00',
  in_flight_usd: '0.00',
};

function heldOf(held_usd: string, own_usd: string, owed: Partial<typeof nothing>, owed_usd: string): Held {
  const network = {
    network: 'base-mainnet' as const,
    held_usd,
    booked_usd: held_usd,
    owed_usd,
    owed: { ...nothing, ...owed },
    own_usd,
    covered: true,
    read_at: '2026-11-15 14:05:00',
  };
  return { networks: [network], held_usd, owed_usd, own_usd, covered: true };
}

const centsOf = (usd: string) => Math.round(Number(usd) * 100);
const partsWithoutTotals = (held: Held) => partsOf(held, 'Mercato').filter(({ kind }) => kind !== 'total');

test('the parts add up to what is held, whether or not the books agree with the chain', () => {
  for (const held of [
    heldOf('963.00', '18.00', { escrow_usd: '900.00', agents_usd: '45.00' }, '945.00'),
    heldOf('10.00', '2.00', { escrow_usd: '5.00', in_flight_usd: '7.00' }, '12.00'),
    heldOf('100.00', '-3.00', { escrow_usd: '90.00', unmatched_usd: '1.50' }, '91.50'),
  ])
    assert.equal(
      partsWithoutTotals(held).reduce((sum, { usd }) => sum + centsOf(usd), 0),
      centsOf(held.held_usd),
    );
});

test('fees are the marketplace’s own and never counted as owed; what is missing has its own words', () => {
  const parts = partsOf(heldOf('963.00', '18.00', { escrow_usd: '945.00' }, '945.00'), 'Mercato');
  assert.deepEqual(
    parts.map(({ label, usd }) => `${label} ${usd}`),
    ['Held for orders 945.00', 'Owed to buyers and sellers 945.00', 'Fees earned by Mercato 18.00', 'Held on chain 963.00'],
  );
  const left = partsOf(heldOf('5.00', '0.00', { escrow_usd: '5.00', in_flight_usd: '7.00' }, '12.00'), 'Mercato');
  assert.ok(left.some(({ label, usd }) => label === 'Has left already, arrival to be seen' && usd === '-7.00'));
});
