/**
 * The accounting of one vault, as pure functions on integers. A book counts units of the venue that were measured when they came in or went
 * out; it never looks at balances, so a gift to the venue or to our wallet moves no share price. Every division rounds in favour of the
 * pool.
 */

import type { NotDepositableReason } from './words.ts';

export interface Book {
  readonly totalShares: bigint;
  /** Units of the venue that back the shares. */
  readonly totalUnits: bigint;
  /** Units that withdrawals took out of the pool and the venue has not paid yet. */
  readonly queuedUnits: bigint;
  /** Units of harvests that have not accrued yet (`harvests.ts`). They back no share. */
  readonly unvestedUnits: bigint;
}

export const emptyBook: Book = { totalShares: 0n, totalUnits: 0n, queuedUnits: 0n, unvestedUnits: 0n };

/** Units that the venue should hold for this vault. */
export function heldBy({ totalUnits, queuedUnits, unvestedUnits }: Book): bigint {
  return totalUnits + queuedUnits + unvestedUnits;
}

export function isFresh(book: Book): boolean {
  return book.totalShares === 0n;
}

/** Shares exist and nothing backs them: nobody can buy in at any price. */
export function isWorthless(book: Book): boolean {
  return book.totalShares > 0n && book.totalUnits === 0n;
}

/** Why a vault with this book takes no deposits; null while it does. */
export function closedReason(
  { depositsOpen, impairedAt }: { readonly depositsOpen: boolean; readonly impairedAt: Date | null },
  book: Book,
): NotDepositableReason | null {
  if (!depositsOpen) return 'deposits_closed';
  if (impairedAt !== null) return 'impaired';
  return isWorthless(book) ? 'worthless' : null;
}

/** Shares that these units buy; 0 when they are worth less than one share. */
export function sharesFor(book: Book, units: bigint): bigint {
  if (units <= 0n || isWorthless(book)) return 0n;
  return isFresh(book) ? units : (units * book.totalShares) / book.totalUnits;
}

/**
 * A gain that lifts a share above so many units is not recognised. Otherwise a holder of the last few shares could, by a gift, make one so
 * dear that the rounding of the next deposit is worth taking.
 */
export const mostUnitsOfOneShare = 1_000n;

/** Whether a gain of `found` units would make shares too coarse to buy. */
export function isTooCoarse(book: Book, found: bigint): boolean {
  return !isFresh(book) && book.totalUnits + book.unvestedUnits + found > mostUnitsOfOneShare * book.totalShares;
}

/** The fewest units that buy one share. */
export function unitsOfOneShare(book: Book): bigint {
  if (isFresh(book)) return 1n;
  return (book.totalUnits + book.totalShares - 1n) / book.totalShares;
}

/** Returns undefined if the units buy no share; they must not join the pool then. */
export function mint(book: Book, units: bigint): { readonly book: Book; readonly shares: bigint } | undefined {
  const shares = sharesFor(book, units);
  if (shares === 0n) return undefined;
  return { book: { ...book, totalShares: book.totalShares + shares, totalUnits: book.totalUnits + units }, shares };
}

/** Units behind these shares. All shares together stand for all units. */
export function unitsFor(book: Book, shares: bigint): bigint {
  if (shares <= 0n || isFresh(book)) return 0n;
  return (shares * book.totalUnits) / book.totalShares;
}

/** Takes shares out of the pool and puts their units into the queue. */
export function burn(book: Book, shares: bigint): { readonly book: Book; readonly units: bigint } {
  if (shares <= 0n || shares > book.totalShares) throw new RangeError('burns more shares than the vault has');
  const units = unitsFor(book, shares);
  const after = { ...book, totalShares: book.totalShares - shares, totalUnits: book.totalUnits - units };
  return { book: withoutUnheld({ ...after, queuedUnits: book.queuedUnits + units }), units };
}

/**
 * Removes unvested units when nobody holds shares any more. The last holder did not earn them, and the next
 * first depositor must not get them. An operator may recognise them again once the vault has a holder.
 */
export function withoutUnheld(book: Book): Book {
  return isFresh(book) ? { ...book, unvestedUnits: 0n } : book;
}

/** The part of the principal that leaves with these shares; with the last share, all of it. */
export function principalOf(principalMicros: bigint, shares: bigint, heldShares: bigint): bigint {
  return shares === heldShares ? principalMicros : (principalMicros * shares) / heldShares;
}

/** Units of the head of the queue that the venue can pay now. */
export function partOf(unitsLeft: bigint, redeemableUnits: bigint): bigint {
  return redeemableUnits < unitsLeft ? redeemableUnits : unitsLeft;
}

/** Removes redeemed units from the queue: the venue has paid them. */
export function takePart(book: Book, units: bigint): Book {
  if (units <= 0n || units > book.queuedUnits) throw new RangeError('redeems more units than the queue has');
  return { ...book, queuedUnits: book.queuedUnits - units };
}

/** Moves queued units that the venue pays nothing for back to the pool, or out of the book if the pool has no holders. */
export function dropRest(book: Book, units: bigint): Book {
  const after = takePart(book, units);
  return isFresh(book) ? after : { ...after, totalUnits: after.totalUnits + units };
}

export interface QueuedUnits {
  readonly id: string;
  readonly unitsLeft: bigint;
}

export interface Spread {
  readonly book: Book;
  /** Each withdrawal of the queue with the units left after the loss. */
  readonly queue: readonly QueuedUnits[];
  /** Units that the pool itself lost, as a negative number. */
  readonly poolChange: bigint;
}

/**
 * Spreads a loss of units in the venue over pool, queue and unvested units in proportion. The remainder of rounding is
 * not borne by the pool.
 */
export function spreadLoss(book: Book, queue: readonly QueuedUnits[], lost: bigint): Spread {
  const whole = heldBy(book);
  if (lost <= 0n || lost > whole) throw new RangeError('loses more units than the vault has');
  let left = lost;
  const bear = (units: bigint): bigint => {
    const share = least((units * lost + whole - 1n) / whole, units, left);
    left -= share;
    return units - share;
  };
  const after = queue.map(({ id, unitsLeft }) => ({ id, unitsLeft: bear(unitsLeft) }));
  const unvestedUnits = bear(book.unvestedUnits);
  const queuedUnits = after.reduce((sum, { unitsLeft }) => sum + unitsLeft, 0n);
  // Queue and unvested units rounded up, so the rest of the loss is at most the pool's exact part.
  return { book: { ...book, totalUnits: book.totalUnits - left, queuedUnits, unvestedUnits }, queue: after, poolChange: -left };
}

function least(first: bigint, ...others: readonly bigint[]): bigint {
  let best = first;
  for (const value of others) if (value < best) best = value;
  return best;
}
