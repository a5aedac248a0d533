/** Exact fractions of bigints, in lowest terms, with a denominator above 0. */
export interface Fraction {
  readonly top: bigint;
  readonly bottom: bigint;
}

export function of(top: bigint, bottom = 1n): Fraction {
  if (bottom === 0n) throw new RangeError('divides by zero');
  const sign = bottom < 0n ? -1n : 1n;
  const common = greatestDivisor(top < 0n ? -top : top, bottom * sign);
  return { top: (top * sign) / common, bottom: (bottom * sign) / common };
}

export const plus = (a: Fraction, b: Fraction): Fraction => of(a.top * b.bottom + b.top * a.bottom, a.bottom * b.bottom);
export const minus = (a: Fraction, b: Fraction): Fraction => plus(a, { top: -b.top, bottom: b.bottom });
export const times = (a: Fraction, b: Fraction): Fraction => of(a.top * b.top, a.bottom * b.bottom);
export const over = (a: Fraction, b: Fraction): Fraction => of(a.top * b.bottom, a.bottom * b.top);
export const atMost = (a: Fraction, b: Fraction): boolean => a.top * b.bottom <= b.top * a.bottom;

/** The greatest whole number at or below it. */
export function floor({ top, bottom }: Fraction): bigint {
  const cut = top / bottom;
  return cut * bottom > top ? cut - 1n : cut;
}

function greatestDivisor(a: bigint, b: bigint): bigint {
  let [larger, smaller] = [a, b];
  while (smaller > 0n) [larger, smaller] = [smaller, larger % smaller];
  return larger === 0n ? 1n : larger;
}
