/**
 * Harvests: units that came without a deposit, and that an operator recognised. They accrue evenly to the holders of shares, so that
 * a deposit just before a harvest gains nothing. Pure functions on integers; times are milliseconds of market time.
 */
import { earnLimits } from './limits.ts';
import { type Book, isFresh, isTooCoarse, isWorthless } from './share-book.ts';

const DAY_MS = 24 * 3_600_000;

/** Units that accrue evenly from `beganAt` to `endsAt`. */
export interface Harvest {
  readonly id: string;
  readonly units: bigint;
  /** The part of `units` that has accrued to the pool. */
  readonly vestedUnits: bigint;
  readonly beganAt: number;
  readonly endsAt: number;
}

export function leftOf({ units, vestedUnits }: Pick<Harvest, 'units' | 'vestedUnits'>): bigint {
  return units - vestedUnits;
}

/** Units that accrued since the last update. The sum depends on time only, not on the number of updates. */
function dueOf({ units, vestedUnits, beganAt, endsAt }: Harvest, now: number): bigint {
  if (now >= endsAt) return units - vestedUnits;
  if (now <= beganAt) return 0n;
  const accrued = (units * BigInt(now - beganAt)) / BigInt(endsAt - beganAt);
  return accrued > vestedUnits ? accrued - vestedUnits : 0n;
}

export interface Vesting {
  readonly book: Book;
  readonly harvests: readonly Harvest[];
}

/** Moves accrued units into the pool. The sum of the book's units stays. */
export function vest({ book, harvests }: Vesting, now: number): Vesting & { readonly vestedUnits: bigint } {
  let vestedUnits = 0n;
  const after = harvests.map((harvest) => {
    const due = dueOf(harvest, now);
    vestedUnits += due;
    return { ...harvest, vestedUnits: harvest.vestedUnits + due };
  });
  return {
    book: { ...book, totalUnits: book.totalUnits + vestedUnits, unvestedUnits: book.unvestedUnits - vestedUnits },
    harvests: after,
    vestedUnits,
  };
}

/** Throws when nobody holds the vault, or a share would become too coarse to buy. */
export function recogniseHarvest(book: Book, units: bigint): { readonly book: Book; readonly accrues: boolean } {
  if (units <= 0n || isFresh(book)) throw new RangeError('nobody holds this vault');
  if (isTooCoarse(book, units)) throw new RangeError('makes a share too coarse to buy');
  // Nobody can buy worthless shares, so returned units go to their holders at once, who bore the loss.
  if (isWorthless(book)) return { book: { ...book, totalUnits: units }, accrues: false };
  return { book: { ...book, unvestedUnits: book.unvestedUnits + units }, accrues: true };
}

export function harvestFrom(now: number): Pick<Harvest, 'beganAt' | 'endsAt' | 'vestedUnits'> {
  return { beganAt: now, endsAt: now + earnLimits.harvestDays * DAY_MS, vestedUnits: 0n };
}

/** Spreads the unvested units left after a loss over the harvests. Each accrues evenly to its own end. */
export function shrinkHarvests(harvests: readonly Harvest[], unvestedUnits: bigint, now: number): readonly Harvest[] {
  const before = harvests.reduce((sum, harvest) => sum + leftOf(harvest), 0n);
  let left = unvestedUnits;
  return harvests.map((harvest, index) => {
    const isLast = index === harvests.length - 1;
    const share = isLast || before === 0n ? left : (leftOf(harvest) * unvestedUnits) / before;
    left -= share;
    return { ...harvest, units: share, vestedUnits: 0n, beganAt: now, endsAt: Math.max(now, harvest.endsAt) };
  });
}
