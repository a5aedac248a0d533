import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Harvest, harvestFrom, leftOf, recogniseHarvest, shrinkHarvests, vest } from './harvests.ts';
import { type Book, burn, mint, spreadLoss } from './share-book.ts';

const DAY = 24 * 3_600_000;
const book = (totalShares: bigint, totalUnits: bigint, unvestedUnits = 0n): Book => ({
  totalShares,
  totalUnits,
  queuedUnits: 0n,
  unvestedUnits,
});
const harvest = (units: bigint, now = 0): Harvest => ({ id: '1', units, ...harvestFrom(now) });

test('Y07: a recognised harvest accrues evenly over 7 days', () => {
  const start = { ...recogniseHarvest(book(100n, 100n), 70n), harvests: [harvest(70n)] };
  assert.deepEqual([start.accrues, start.book], [true, book(100n, 100n, 70n)]);
  for (const [days, units] of [
    [0, 0n],
    [1, 10n],
    [3.5, 35n],
    [7, 70n],
    [900, 70n],
  ] as const)
    assert.deepEqual(vest(start, days * DAY).book, book(100n, 100n + units, 70n - units), `after ${days} days`);
});

test('a harvest accrues the same however often the book is updated, even when the clock goes back', () => {
  let often = { book: book(100n, 100n, 71n), harvests: [harvest(71n)] as readonly Harvest[] };
  for (let hour = 0; hour < 7 * 24; hour++) often = vest(vest(often, hour * 3_600_000), hour * 3_600_000 - 60_000);
  assert.deepEqual(vest(often, 6.99 * DAY).book, vest({ book: book(100n, 100n, 71n), harvests: [harvest(71n)] }, 6.99 * DAY).book);
  assert.equal(vest(often, 7 * DAY).book.totalUnits, 171n);
});

test('Y07: a deposit of 900 just before a harvest of 100 gets nothing of the harvest', () => {
  const deposited = mint(book(100_000_000n, 100_000_000n), 900_000_000n);
  assert.ok(deposited);
  const found = { book: recogniseHarvest(deposited.book, 100_000_000n).book, harvests: [harvest(100_000_000n)] };
  assert.equal(burn(vest(found, 0).book, deposited.shares).units, 900_000_000n);
  assert.ok(burn(vest(found, 60_000).book, deposited.shares).units < 900_009_000n, 'a minute of it');
});

test('a loss shrinks each harvest, and the rest accrues evenly to the same end', () => {
  const { book: after } = spreadLoss(book(100n, 100n, 100n), [], 100n);
  assert.deepEqual(after, book(100n, 50n, 50n));
  const [left, ...none] = shrinkHarvests([{ ...harvest(70n), vestedUnits: 10n }], 30n, DAY);
  assert.deepEqual(none, []);
  assert.ok(left);
  assert.deepEqual([leftOf(left), left.endsAt], [30n, 7 * DAY]);
  assert.equal(vest({ book: book(1n, 1n, 30n), harvests: [left] }, 4 * DAY).vestedUnits, 15n);
});

test('C25: a gain is not recognised if it makes a share too coarse to buy, or if nobody holds shares', () => {
  assert.throws(() => recogniseHarvest(book(1n, 1n), 1_000n), RangeError);
  assert.throws(() => recogniseHarvest(book(1n, 1n, 990n), 10n), RangeError);
  assert.equal(recogniseHarvest(book(1n, 1n), 999n).book.unvestedUnits, 999n);
  assert.throws(() => recogniseHarvest(book(0n, 0n), 5n), RangeError);
});

test('units that come back after a total loss go to the remaining holders at once', () => {
  const lost = spreadLoss(book(75n, 75n), [], 75n).book;
  assert.deepEqual(recogniseHarvest(lost, 60n), { book: book(75n, 60n), accrues: false });
});
