/** Random histories of deposits, withdrawals and harvests: units are conserved, and no timing or splitting takes harvest of others. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Harvest, harvestFrom, leftOf, recogniseHarvest, shrinkHarvests, vest } from './harvests.ts';
import { type Book, burn, emptyBook, heldBy, isFresh, isTooCoarse, mint, spreadLoss } from './share-book.ts';

const RUNS = 1_000;
const DAY = 24 * 3_600_000;
const amount = fc.bigInt({ min: 1_000n, max: 10n ** 13n });
const wait = fc.integer({ min: 0, max: 3 * DAY });

const step = fc.oneof(
  fc.record({ kind: fc.constant('deposit' as const), owner: fc.nat(3), amount, wait }),
  fc.record({ kind: fc.constant('withdraw' as const), owner: fc.nat(3), percent: fc.bigInt({ min: 1n, max: 100n }), wait }),
  fc.record({ kind: fc.constant('harvest' as const), amount, wait }),
  fc.record({ kind: fc.constant('loss' as const), percent: fc.bigInt({ min: 1n, max: 90n }), wait }),
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

class Vault {
  book: Book = emptyBook;
  harvests: readonly Harvest[] = [];
  now = 0;
  readonly shares = new Map<number, bigint>();
  /** Units that were deposited or harvested (`came`), and that were withdrawn or lost (`gone`). */
  came = 0n;
  gone = 0n;

  take(next: Step): void {
    this.now += next.wait;
    ({ book: this.book, harvests: this.harvests } = vest(this, this.now));
    if (next.kind === 'deposit') this.deposit(next.owner, next.amount);
    else if (next.kind === 'withdraw') this.withdraw(next.owner, ((this.shares.get(next.owner) ?? 0n) * next.percent) / 100n);
    else if (next.kind === 'harvest') this.harvest(next.amount);
    else this.lose((heldBy({ ...this.book, queuedUnits: 0n }) * next.percent) / 100n);
  }

  deposit(owner: number, units: bigint): bigint {
    const minted = mint(this.book, units);
    if (minted === undefined) return 0n;
    this.book = minted.book;
    this.shares.set(owner, (this.shares.get(owner) ?? 0n) + minted.shares);
    this.came += units;
    return minted.shares;
  }

  withdraw(owner: number, shares: bigint): bigint {
    if (shares === 0n) return 0n;
    const { unvestedUnits } = this.book;
    const { book, units } = burn(this.book, shares);
    this.book = { ...book, queuedUnits: 0n };
    this.shares.set(owner, (this.shares.get(owner) ?? 0n) - shares);
    this.gone += units;
    if (isFresh(book)) {
      this.gone += unvestedUnits;
      this.harvests = [];
    }
    return units;
  }

  harvest(units: bigint): void {
    if (isFresh(this.book) || isTooCoarse(this.book, units)) return;
    const { book, accrues } = recogniseHarvest(this.book, units);
    this.book = book;
    if (accrues) this.harvests = [...this.harvests, { id: String(this.harvests.length), units, ...harvestFrom(this.now) }];
    this.came += units;
  }

  private lose(units: bigint): void {
    if (units === 0n) return;
    this.book = spreadLoss(this.book, [], units).book;
    this.harvests = shrinkHarvests(this.harvests, this.book.unvestedUnits, this.now);
    this.gone += units;
  }

  requireWhole(): void {
    assert.equal(heldBy(this.book), this.came - this.gone, 'every unit is somewhere');
    assert.equal(
      this.harvests.reduce((sum, one) => sum + leftOf(one), 0n),
      this.book.unvestedUnits,
      'what has not accrued is in the harvests',
    );
    assert.ok(this.harvests.every((one) => leftOf(one) >= 0n && one.vestedUnits >= 0n));
    if (isFresh(this.book)) assert.equal(heldBy(this.book), 0n, 'the last one leaves nothing for the next');
  }

  copy(): Vault {
    const copy = new Vault();
    Object.assign(copy, { book: this.book, harvests: this.harvests, now: this.now, came: this.came, gone: this.gone });
    for (const [owner, shares] of this.shares) copy.shares.set(owner, shares);
    return copy;
  }
}

test(`Y07: in ${RUNS} random histories the units of the pool, of harvests and of withdrawals add up`, () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 5, maxLength: 50 }), (steps) => {
      const vault = new Vault();
      for (const next of steps) {
        vault.take(next);
        vault.requireWhole();
      }
    }),
    { numRuns: RUNS },
  );
});

test(`Y07: in ${RUNS} random histories a deposit withdrawn at the same moment, whole or split, gains nothing from a harvest in between`, () => {
  const parts = fc.array(amount, { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(fc.array(step, { minLength: 2, maxLength: 30 }), parts, amount, fc.boolean(), (steps, deposits, found, isSplit) => {
      const vault = new Vault();
      for (const next of steps) vault.take(next);
      // Skip vaults that nobody holds or whose shares are nearly worthless.
      if (isFresh(vault.book) || vault.book.totalUnits < vault.book.totalShares / 1_000n || vault.book.totalUnits === 0n) return;
      const attacker = 9;
      let paid = 0n;
      for (const units of deposits) if (vault.deposit(attacker, units) > 0n) paid += units;
      vault.harvest(found);
      ({ book: vault.book, harvests: vault.harvests } = vest(vault, vault.now));
      const held = vault.shares.get(attacker) ?? 0n;
      let got = 0n;
      if (isSplit && held > 3n) got += vault.withdraw(attacker, held / 3n) + vault.withdraw(attacker, held / 3n);
      got += vault.withdraw(attacker, vault.shares.get(attacker) ?? 0n);
      assert.ok(got <= paid, `gained ${got - paid} of a harvest of ${found}`);
    }),
    { numRuns: RUNS },
  );
});

test(`Y07: in ${RUNS} random histories a holder for part of the accrual gets at most that part of the harvest`, () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 2, maxLength: 20 }), amount, amount, wait, (steps, paid, found, held) => {
      const vault = new Vault();
      for (const next of steps) if (next.kind !== 'harvest') vault.take(next);
      if (isFresh(vault.book) || vault.book.totalUnits < vault.book.totalShares / 1_000n || vault.book.totalUnits === 0n) return;
      if (isTooCoarse(vault.book, found) || vault.deposit(9, paid) === 0n) return;
      vault.harvest(found);
      vault.now += held;
      ({ book: vault.book, harvests: vault.harvests } = vest(vault, vault.now));
      const got = vault.withdraw(9, vault.shares.get(9) ?? 0n);
      assert.ok(got - paid <= (found * BigInt(held)) / BigInt(7 * DAY), 'no more than what accrued meanwhile');
    }),
    { numRuns: RUNS },
  );
});

test('Y07: the times at which a vault is read do not change what accrues', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 8 * DAY }), { maxLength: 40 }), amount, (looks, units) => {
      const start = {
        book: { ...emptyBook, totalShares: 1n, totalUnits: 1n, unvestedUnits: units },
        harvests: [{ id: '1', units, ...harvestFrom(0) }],
      };
      const end = Math.max(0, ...looks);
      const often = looks.toSorted((a, b) => a - b).reduce<Pick<Vault, 'book' | 'harvests'>>((vault, at) => vest(vault, at), start);
      assert.deepEqual(vest(often, end).book, vest(start, end).book);
    }),
    { numRuns: RUNS },
  );
});
