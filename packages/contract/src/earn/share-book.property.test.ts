/** Random histories of a vault, against an independent model with exact fractions. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { FairVenue } from '../../../../test/earn/fair-venue.ts';
import { atMost, type Fraction, minus, of, plus, times } from '../../../../test/earn/fractions.ts';
import { ReferenceVault } from '../../../../test/earn/reference-vault.ts';
import { harvestFrom, recogniseHarvest, vest } from './harvests.ts';
import { earnLimits } from './limits.ts';
import {
  type Book,
  burn,
  dropRest,
  emptyBook,
  heldBy,
  isFresh,
  mint,
  mostUnitsOfOneShare,
  partOf,
  principalOf,
  type QueuedUnits,
  type Spread,
  spreadLoss,
  takePart,
} from './share-book.ts';

const HISTORIES = 1_000;
/** Units of other depositors in the venue. */
const SEED = 10n ** 12n;
const OWNERS = ['agent', 'user', 'wallet', 'other agent', 'other user', 'other wallet'];

const owner = fc.constantFrom(...OWNERS);
/** Dust, ordinary amounts and fortunes alike, in micro-USDC. */
const amount = fc.oneof(
  fc.bigInt({ min: 1n, max: 20n }),
  fc.bigInt({ min: 1n, max: 5_000_000n }),
  fc.bigInt({ min: earnLimits.firstDepositMicros, max: 10n ** 13n }),
);
const percent = fc.bigInt({ min: 1n, max: 100n });

const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('deposit' as const), owner, amount, deployFails: fc.nat(9).map((n) => n === 0) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('withdraw' as const), owner, percent }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('withdraw few shares' as const), owner, shares: fc.bigInt({ min: 1n, max: 3n }) }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('yield' as const), amount }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('loss' as const), amount }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('drought' as const), percent }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('repayment' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('donation' as const), amount }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('units vanish' as const), percent }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('difference recognised' as const) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('queue is paid' as const), parts: fc.nat(4) }) },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;
type Of<K extends Step['kind']> = Extract<Step, { kind: K }>;

interface Position {
  shares: bigint;
  principal: bigint;
}

/** A vault as the server keeps it: the book of the contract, positions beside it, a queue. */
class Vault {
  book: Book = emptyBook;
  readonly positions = new Map<string, Position>(OWNERS.map((name) => [name, { shares: 0n, principal: 0n }]));
  queue: { id: string; owner: string; units: bigint; unitsLeft: bigint; received: bigint; parts: bigint[] }[] = [];

  of(name: string): Position {
    const position = this.positions.get(name);
    assert.ok(position);
    return position;
  }

  open(): QueuedUnits[] {
    return this.queue.filter(({ unitsLeft }) => unitsLeft > 0n);
  }

  apply(spread: Spread): void {
    for (const { id, unitsLeft } of spread.queue) {
      const entry = this.queue.find((one) => one.id === id);
      assert.ok(entry);
      // A recognised gain or loss changes the units of the withdrawal.
      entry.units += unitsLeft - entry.unitsLeft;
      entry.unitsLeft = unitsLeft;
    }
    this.book = spread.book;
  }
}

/** Counts every micro-USDC that came in and where it went. */
interface Cash {
  sent: bigint;
  refunded: bigint;
  deployed: bigint;
  paid: bigint;
}

class History {
  readonly vault = new Vault();
  readonly model = new ReferenceVault();
  readonly venue = new FairVenue(SEED);
  readonly cash: Cash = { sent: 0n, refunded: 0n, deployed: 0n, paid: 0n };
  /** Micro-USDC that the venue earned and lost. */
  readonly outside = { earned: 0n, lost: 0n };
  private count = 0;

  take(next: Step): void {
    const worth = this.worth();
    if (next.kind === 'deposit') this.deposit(next, worth);
    else if (next.kind === 'withdraw') {
      const { shares } = this.vault.of(next.owner);
      this.withdraw(next.owner, (shares * next.percent) / 100n, worth);
    } else if (next.kind === 'withdraw few shares') this.withdraw(next.owner, next.shares, worth);
    else if (next.kind === 'difference recognised') this.recognise();
    else if (next.kind === 'queue is paid') for (let part = 0; part <= next.parts; part++) this.pay();
    else this.changeVenue(next);
  }

  private changeVenue(next: Of<'yield' | 'loss' | 'drought' | 'repayment' | 'donation' | 'units vanish'>): void {
    const { venue, outside } = this;
    if (next.kind === 'yield') {
      outside.earned += next.amount;
      venue.earn(next.amount);
    } else if (next.kind === 'loss') outside.lost += venue.lose(next.amount);
    else if (next.kind === 'drought') venue.lend(next.percent - 1n);
    else if (next.kind === 'repayment') venue.repay();
    else if (next.kind === 'donation') venue.shift(next.amount);
    else venue.shift(-(venue.ours * next.percent) / 100n);
  }

  private worth(): ReadonlyMap<string, Fraction> {
    return new Map(OWNERS.map((name) => [name, this.model.worthOf(name)]));
  }

  private deposit({ owner: name, amount: assets, deployFails }: Of<'deposit'>, worth: ReadonlyMap<string, Fraction>): void {
    this.cash.sent += assets;
    const before = this.vault.book;
    const units = this.venue.preview(assets);
    const isTooSmall = isFresh(before) && assets < earnLimits.firstDepositMicros;
    const isRefused = deployFails || isTooSmall || units === 0n || mint(before, units) === undefined;
    if (isRefused) {
      this.cash.refunded += assets;
      if (units > 0n && !isTooSmall && !deployFails)
        assert.equal(this.model.deposit(name, units), undefined, 'the model would have minted');
      return;
    }
    assert.equal(this.venue.deposit(assets), units);
    const minted = mint(before, units);
    assert.ok(minted);
    const position = this.vault.of(name);
    this.vault.book = minted.book;
    position.shares += minted.shares;
    position.principal += assets;
    this.cash.deployed += assets;
    assert.equal(minted.shares, this.model.deposit(name, units), 'shares of the deposit');

    const price = this.model.price;
    assert.ok(price);
    const put = plus(worth.get(name) ?? of(0n), of(units));
    this.requireForPool(name, worth, { before: put, after: this.model.worthOf(name), most: plus(price, of(1n)) });
  }

  private withdraw(name: string, shares: bigint, worth: ReadonlyMap<string, Fraction>): void {
    const position = this.vault.of(name);
    if (shares <= 0n || shares > position.shares) return;
    const id = `wdr_${++this.count}`;
    const { book, units } = burn(this.vault.book, shares);
    const principal = principalOf(position.principal, shares, position.shares);
    assert.ok(atMost(of(principal), of(position.principal * shares, position.shares)));
    position.principal -= principal;
    position.shares -= shares;
    if (position.shares === 0n) assert.equal(position.principal, 0n, 'principal stays behind without shares');
    this.vault.book = book;
    this.vault.queue.push({ id, owner: name, units, unitsLeft: units, received: 0n, parts: [] });
    assert.equal(units, this.model.withdraw(id, name, shares), 'units of the burn');
    const left = plus(this.model.worthOf(name), of(units));
    this.requireForPool(name, worth, { before: worth.get(name) ?? of(0n), after: left, most: of(1n) });
    if (isFresh(book)) assert.equal(book.totalUnits, 0n, 'the last holder leaves units behind');
  }

  /** The actor never gains from rounding and loses at most `most`; all others lose nothing. */
  private requireForPool(
    actor: string,
    worth: ReadonlyMap<string, Fraction>,
    { before, after, most }: { before: Fraction; after: Fraction; most: Fraction },
  ): void {
    assert.ok(atMost(after, before), `${actor} gained from rounding`);
    assert.ok(atMost(minus(before, after), most), `${actor} lost more than one share or unit`);
    for (const [name, had] of worth)
      if (name !== actor) assert.ok(atMost(had, this.model.worthOf(name)), `${name} lost while ${actor} acted`);
  }

  private pay(): void {
    const { vault, venue, model } = this;
    const [head] = vault.open();
    const redeemable = venue.redeemable;
    if (head === undefined || redeemable === 0n) {
      assert.equal(model.nextPart(redeemable), undefined);
      return;
    }
    const part = { id: head.id, units: partOf(head.unitsLeft, redeemable) };
    assert.deepEqual(part, model.nextPart(redeemable), 'next part of the queue');
    const entry = vault.queue.find(({ id }) => id === head.id);
    assert.ok(entry);
    if (venue.valueOf(part.units) === 0n) {
      if (part.units < head.unitsLeft) return;
      vault.book = dropRest(vault.book, part.units);
      model.drop(head.id);
      entry.units -= part.units;
      entry.unitsLeft = 0n;
      return;
    }
    const exact = times(of(part.units), of(venue.assets, venue.units));
    const assets = venue.redeem(part.units);
    assert.ok(atMost(of(assets), exact), 'a part pays more than its units are worth');
    vault.book = takePart(vault.book, part.units);
    model.pay(part);
    entry.unitsLeft -= part.units;
    entry.received += assets;
    entry.parts.push(part.units);
    this.cash.paid += assets;
  }

  private recognise(): void {
    const { book } = this.vault;
    const difference = this.venue.ours - heldBy(book);
    if (difference === 0n) return;
    const open = this.vault.open();
    const spread = this.spread(book, open, difference);
    if (spread === undefined) return;
    const queue = new Map(spread.queue.map(({ id, unitsLeft }, n) => [id, unitsLeft - (open[n]?.unitsLeft ?? 0n)]));
    if (difference < 0n) this.model.lose(-difference, { pool: spread.poolChange, queue });
    else this.model.gain(difference);
    this.vault.apply(spread);
    assert.equal(this.venue.ours, heldBy(this.vault.book), 'the difference is gone');
  }

  /** Returns undefined for gains that are not recognised: without holders, or too coarse. A harvest accrues at once here. */
  private spread(book: Book, open: readonly QueuedUnits[], difference: bigint): Spread | undefined {
    if (difference < 0n) return spreadLoss(book, open, -difference);
    const isFine = book.totalUnits + difference <= mostUnitsOfOneShare * book.totalShares;
    if (book.totalShares > 0n && isFine) {
      const found = recogniseHarvest(book, difference);
      const harvests = found.accrues ? [{ id: '1', units: difference, ...harvestFrom(0) }] : [];
      return { book: vest({ book: found.book, harvests }, Number.MAX_SAFE_INTEGER).book, queue: open, poolChange: difference };
    }
    assert.throws(() => recogniseHarvest(book, difference), RangeError);
    return undefined;
  }

  /** Checks that units and micro-USDC are conserved exactly. */
  requireWhole(): void {
    const { vault, model, venue, cash, outside } = this;
    const { book } = vault;
    for (const [name, { shares }] of vault.positions) assert.equal(shares, model.sharesOf(name), `shares of ${name}`);
    assert.equal(book.totalShares, model.totalShares);
    assert.equal(book.totalUnits, model.poolUnits);
    assert.equal(book.queuedUnits, model.queuedUnits);
    assert.ok(book.totalShares >= 0n && book.totalUnits >= 0n && book.queuedUnits >= 0n);
    assert.deepEqual(
      vault.queue.map(({ id, unitsLeft }) => [id, unitsLeft]),
      model.queue.map(({ id, left }) => [id, left]),
    );
    for (const { id, units, unitsLeft, parts } of vault.queue)
      assert.equal(
        parts.reduce((sum, part) => sum + part, unitsLeft),
        units,
        `parts of ${id} are what it burned`,
      );
    const firstOpen = vault.queue.findIndex(({ unitsLeft }) => unitsLeft > 0n);
    if (firstOpen >= 0)
      assert.ok(
        vault.queue.slice(firstOpen + 1).every(({ parts }) => parts.length === 0),
        'somebody was paid before the head',
      );
    assert.equal(cash.sent, cash.refunded + cash.deployed, 'each deposit is deployed or refunded');
    assert.equal(venue.assets, SEED + cash.deployed + outside.earned - outside.lost - cash.paid, 'USDC is conserved');
  }

  /** All owners withdraw, and the venue pays all that it holds for the vault. */
  end(): void {
    for (const name of OWNERS) this.withdraw(name, this.vault.of(name).shares, this.worth());
    this.venue.repay();
    // After an unrecognised loss, the venue may hold worthless units for the vault.
    for (let before = -1n; before !== this.vault.book.queuedUnits; ) {
      before = this.vault.book.queuedUnits;
      this.pay();
    }
  }
}

test(`C24, C25, C26: in ${HISTORIES} random histories shares, units and USDC are conserved, rounding is never against the pool, and the queue keeps its order`, () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 5, maxLength: 60 }), (steps) => {
      const history = new History();
      for (const next of steps) {
        history.take(next);
        history.requireWhole();
      }
      history.end();
      history.requireWhole();
      const { book } = history.vault;
      assert.deepEqual([book.totalShares, book.totalUnits], [0n, 0n], 'everybody left');
    }),
    { numRuns: HISTORIES },
  );
});
