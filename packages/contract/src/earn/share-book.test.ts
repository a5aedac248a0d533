import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Book,
  burn,
  closedReason,
  emptyBook,
  mint,
  partOf,
  principalOf,
  sharesFor,
  spreadLoss,
  takePart,
  unitsFor,
  unitsOfOneShare,
} from './share-book.ts';

const book = (totalShares: bigint, totalUnits: bigint, queuedUnits = 0n, unvestedUnits = 0n): Book => ({
  totalShares,
  totalUnits,
  queuedUnits,
  unvestedUnits,
});

test('the first deposit gets one share per unit, later ones a proportional number, rounded down', () => {
  assert.deepEqual(mint(emptyBook, 100n), { book: book(100n, 100n), shares: 100n });
  assert.deepEqual(mint(book(100n, 150n), 50n), { book: book(133n, 200n), shares: 33n });
});

test('a vault takes deposits unless it is closed, lacks units, or its shares stand for nothing', () => {
  const open = { depositsOpen: true, impairedAt: null };
  assert.equal(closedReason(open, emptyBook), null);
  assert.equal(closedReason(open, book(100n, 100n)), null);
  assert.equal(closedReason({ ...open, depositsOpen: false }, book(100n, 0n)), 'deposits_closed');
  assert.equal(closedReason({ ...open, impairedAt: new Date(0) }, book(100n, 0n)), 'impaired');
  assert.equal(closedReason(open, book(100n, 0n)), 'worthless');
});

test('units worth less than one share mint no shares', () => {
  assert.equal(mint(book(100n, 1_000n), 9n), undefined);
  assert.equal(unitsOfOneShare(book(100n, 1_001n)), 11n);
  assert.equal(mint(book(100n, 1_001n), 11n)?.shares, 1n);
  assert.equal(mint(book(100n, 0n), 9n), undefined, 'nothing backs the shares');
});

test('a burn rounds in favour of the pool, and the last holder takes all units', () => {
  const first = burn(book(3n, 100n), 1n);
  assert.deepEqual(first, { book: book(2n, 67n, 33n), units: 33n });
  const last = burn(first.book, 2n);
  assert.deepEqual(last, { book: book(0n, 0n, 100n), units: 67n });
  assert.throws(() => burn(last.book, 1n), RangeError);
});

test('C25: deposits and burns in any order never lower the value of the other shares', () => {
  let now = book(1_000_003n, 1_234_567n);
  for (const units of [1n, 2n, 7n, 1_000n, 999_999n]) {
    const before = now;
    const minted = mint(now, units);
    if (minted !== undefined) now = burn(minted.book, minted.shares).book;
    assert.ok(now.totalUnits * before.totalShares >= before.totalUnits * now.totalShares);
  }
});

test('the principal leaves in proportion, and entirely with the last share', () => {
  assert.equal(principalOf(100n, 1n, 3n), 33n);
  assert.equal(principalOf(100n, 3n, 3n), 100n);
});

test('a redeemed part is what the venue can pay, and leaves the queue', () => {
  assert.equal(partOf(10n, 4n), 4n);
  assert.equal(partOf(10n, 40n), 10n);
  assert.deepEqual(takePart(book(5n, 5n, 10n), 4n), book(5n, 5n, 6n));
  assert.throws(() => takePart(book(5n, 5n, 3n), 4n), RangeError);
});

test('pool and queue bear a loss in proportion, exact to the unit', () => {
  const queue = [
    { id: 'a', unitsLeft: 10n },
    { id: 'b', unitsLeft: 15n },
  ];
  const spread = spreadLoss(book(75n, 75n, 25n), queue, 30n);
  assert.deepEqual(spread.queue, [
    { id: 'a', unitsLeft: 7n },
    { id: 'b', unitsLeft: 10n },
  ]);
  assert.deepEqual(spread.book, book(75n, 53n, 17n));
  assert.equal(spread.book.totalUnits + spread.book.queuedUnits, 70n);
  const all = spreadLoss(book(75n, 75n, 25n), queue, 100n);
  assert.deepEqual(all.book, book(75n, 0n, 0n));
  assert.equal(sharesFor(all.book, 100n), 0n, 'nobody buys into a vault without units');
});

test('unvested units bear their part of a loss, and leave the book with the last share', () => {
  const spread = spreadLoss(book(50n, 50n, 25n, 25n), [{ id: 'a', unitsLeft: 25n }], 20n);
  assert.deepEqual(spread.book, book(50n, 40n, 20n, 20n));
  assert.deepEqual(burn(book(50n, 40n, 0n, 20n), 49n).book, book(1n, 1n, 39n, 20n));
  assert.deepEqual(burn(book(50n, 40n, 0n, 20n), 50n).book, book(0n, 0n, 40n, 0n));
});

test('a gift to the venue changes no share price: only measured units count', () => {
  const start = mint(emptyBook, 100_000_000n)?.book ?? emptyBook;
  // Whatever the venue's balance says, the second depositor's shares follow from the units of the book.
  assert.equal(sharesFor(start, 1n), 1n);
  assert.equal(unitsFor(start, 1n), 1n);
});
