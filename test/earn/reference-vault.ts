/**
 * A second implementation of a vault's debts, with exact fractions. It shares no code with `share-book.ts` and is slow on purpose:
 * it computes every number from its definition.
 */
import assert from 'node:assert/strict';
import { atMost, type Fraction, floor, minus, of, over, times } from './fractions.ts';

export interface Waiting {
  readonly id: string;
  readonly owner: string;
  /** Units that the burn of the shares took out of the pool. */
  readonly units: bigint;
  left: bigint;
}

export interface Part {
  readonly id: string;
  readonly units: bigint;
}

/** Effects of a loss of units on the pool and on each waiting withdrawal. */
export interface Difference {
  readonly pool: bigint;
  readonly queue: ReadonlyMap<string, bigint>;
}

export class ReferenceVault {
  readonly holders = new Map<string, bigint>();
  readonly queue: Waiting[] = [];
  poolUnits = 0n;

  get totalShares(): bigint {
    return [...this.holders.values()].reduce((sum, shares) => sum + shares, 0n);
  }

  get queuedUnits(): bigint {
    return this.queue.reduce((sum, { left }) => sum + left, 0n);
  }

  sharesOf(owner: string): bigint {
    return this.holders.get(owner) ?? 0n;
  }

  /** Units that back one share; undefined if there are no shares. */
  get price(): Fraction | undefined {
    return this.totalShares === 0n ? undefined : of(this.poolUnits, this.totalShares);
  }

  /** The exact worth of an owner's shares in units. */
  worthOf(owner: string): Fraction {
    return this.price === undefined ? of(0n) : times(of(this.sharesOf(owner)), this.price);
  }

  /** Buys the most whole shares that these units pay for; undefined if not even one. */
  deposit(owner: string, units: bigint): bigint | undefined {
    const price = this.price;
    if (price?.top === 0n) return undefined;
    const shares = price === undefined ? units : floor(over(of(units), price));
    if (shares <= 0n) return undefined;
    this.holders.set(owner, this.sharesOf(owner) + shares);
    this.poolUnits += units;
    return shares;
  }

  /** Burns shares for the most whole units that they are worth. */
  withdraw(id: string, owner: string, shares: bigint): bigint {
    assert.ok(shares > 0n && shares <= this.sharesOf(owner), `${owner} burns ${shares} of ${this.sharesOf(owner)}`);
    const price = this.price;
    assert.ok(price);
    const units = floor(times(of(shares), price));
    this.holders.set(owner, this.sharesOf(owner) - shares);
    this.poolUnits -= units;
    const open = this.queue.find((entry) => entry.id === id);
    if (open === undefined) this.queue.push({ id, owner, units, left: units });
    else this.queue.splice(this.queue.indexOf(open), 1, { ...open, units: open.units + units, left: open.left + units });
    return units;
  }

  /** The next part to be paid: of the head of the queue, as much as the venue can give. */
  nextPart(redeemable: bigint): Part | undefined {
    const head = this.queue.find(({ left }) => left > 0n);
    if (head === undefined || redeemable <= 0n) return undefined;
    return { id: head.id, units: head.left < redeemable ? head.left : redeemable };
  }

  /** Records a paid part. Refuses a part that is not the head's, or is more than the head's rest. */
  pay({ id, units }: Part): void {
    const head = this.queue.find(({ left }) => left > 0n);
    assert.ok(head !== undefined && head.id === id, `${id} was paid before ${head?.id}`);
    assert.ok(units > 0n && units <= head.left, `${id} was paid ${units} of ${head.left}`);
    head.left -= units;
  }

  /** Records a part paid out of queue order, of what its withdrawal has left. */
  payOf({ id, units }: Part): void {
    const entry = this.queue.find((one) => one.id === id);
    assert.ok(entry !== undefined && units > 0n && units <= entry.left, `${id} was paid ${units}`);
    entry.left -= units;
  }

  /** Drops a worthless rest of the head; the remaining holders get its units, if there are any. */
  drop(id: string): void {
    const head = this.queue.find(({ left }) => left > 0n);
    assert.ok(head !== undefined && head.id === id, `${id} was dropped before ${head?.id}`);
    if (this.totalShares > 0n) this.poolUnits += head.left;
    head.left = 0n;
  }

  /** Records lost units. The pool bears at most its exact part, each withdrawal its exact part rounded up, and all parts add up. */
  lose(lost: bigint, { pool, queue }: Difference): void {
    const whole = this.poolUnits + this.queuedUnits;
    const open = this.queue.filter(({ left }) => left > 0n);
    const exact = (units: bigint): Fraction => of(units * lost, whole);
    assert.equal(
      [...queue.values()].reduce((sum, part) => sum + part, pool),
      -lost,
      'the parts add up to the loss',
    );
    this.requireNear(-pool, exact(this.poolUnits), open.length);
    assert.ok(atMost(of(-pool), exact(this.poolUnits)), 'rounding of a loss is not borne by the pool');
    for (const entry of open) {
      const borne = -(queue.get(entry.id) ?? 0n);
      this.requireNear(borne, exact(entry.left), open.length);
      assert.ok(atMost(minus(of(borne), of(1n)), exact(entry.left)), `${entry.id} bears a unit too many`);
      entry.left -= borne;
      assert.ok(entry.left >= 0n, `${entry.id} bears more than it has`);
    }
    this.poolUnits += pool;
    assert.ok(this.poolUnits >= 0n);
  }

  /** Adds accrued units without a deposit: they belong to holders of shares, not to waiting withdrawals. */
  gain(found: bigint): void {
    assert.ok(this.totalShares > 0n);
    this.poolUnits += found;
  }

  /** Rounding moves at most one unit for each waiting withdrawal. */
  private requireNear(got: bigint, exact: Fraction, waiting: number): void {
    const most = of(BigInt(waiting + 1));
    assert.ok(
      atMost(minus(of(got), exact), most) && atMost(minus(exact, of(got)), most),
      `${got} is far from ${exact.top}/${exact.bottom}`,
    );
  }
}
