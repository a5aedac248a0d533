import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { sumOfParts, takeApart } from './held-parts.ts';
import type { TreasuryReading } from './treasury-repository.ts';

const nothing: TreasuryReading = {
  network: 'base-mainnet',
  heldMicros: 0n,
  escrowMicros: 0n,
  agentsMicros: 0n,
  refundsMicros: 0n,
  surplusMicros: 0n,
  unmatchedMicros: 0n,
  inFlightMicros: 0n,
  earnMicros: 0n,
  ownMicros: 0n,
  readAt: new Date(0),
};

const micros = fc.bigInt({ min: 0n, max: 10n ** 12n });
const reading = fc.record({
  ...Object.fromEntries(Object.keys(nothing).map((name) => [name, micros])),
  network: fc.constant('base-mainnet'),
  ownMicros: fc.bigInt({ min: -(10n ** 9n), max: 10n ** 12n }),
  readAt: fc.constant(new Date(0)),
}) as fc.Arbitrary<TreasuryReading>;

test('the parts of a treasury reading add up to the held amount, and so do sums of readings', () => {
  fc.assert(
    fc.property(fc.array(reading, { minLength: 1, maxLength: 3 }), (readings) => {
      const each = readings.map(takeApart);
      for (const { held, owed, own, onItsWay, unbooked, missing } of [...each, sumOfParts(each)])
        assert.equal(owed + own + onItsWay + unbooked - missing, held);
    }),
  );
});

test('a payout in flight never counts as missing', () => {
  const open = { ...nothing, escrowMicros: 5n, ownMicros: 1n, inFlightMicros: 7n };
  assert.deepEqual([takeApart({ ...open, heldMicros: 13n }).onItsWay, takeApart({ ...open, heldMicros: 13n }).missing], [7n, 0n]);
  assert.deepEqual([takeApart({ ...open, heldMicros: 6n }).onItsWay, takeApart({ ...open, heldMicros: 6n }).covered], [0n, true]);
});

test('an amount that the chain does not show is missing, and uncovered once others own it', () => {
  const open = { ...nothing, escrowMicros: 5n, ownMicros: 1n };
  assert.deepEqual([takeApart({ ...open, heldMicros: 5n }).missing, takeApart({ ...open, heldMicros: 5n }).covered], [1n, true]);
  assert.deepEqual([takeApart({ ...open, heldMicros: 4n }).missing, takeApart({ ...open, heldMicros: 4n }).covered], [2n, false]);
});

test('received money without a booking is shown as unbooked', () => {
  assert.equal(takeApart({ ...nothing, heldMicros: 9n, escrowMicros: 5n }).unbooked, 4n);
});
