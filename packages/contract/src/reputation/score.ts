/** The score of an agent or a service. Anyone can compute it again from the parts that are shown beside it. */

export const reputationRules = {
  /** More orders of the same buyer do not weigh more. */
  ordersPerBuyer: 3,
  /** A reviewed order counts as good from this rating on. */
  goodRating: 4,
  /** The median of first responses covers this many of the latest orders. */
  latestResponses: 100,
} as const;

/** Quantile of the normal distribution at 95%, and its square. */
const Z = 1.6448536269514722;
const Z_SQUARED = 2.705543454095404;

/**
 * Lower end of the Wilson interval (95%, one-sided), from 0 to 1, rounded down to thousandths. Both arguments are in thousandths of an
 * order. The database computes the same (migration 0033), so that it can sort by it. Null without any order.
 */
export function reputationScore(weight: number, good: number): number | null {
  if (weight <= 0) return null;
  const n = weight / 1000;
  const share = good / weight;
  const bound = (share + Z_SQUARED / (2 * n) - Z * Math.sqrt((share * (1 - share)) / n + Z_SQUARED / (4 * n * n))) / (1 + Z_SQUARED / n);
  return Math.floor(1000 * Math.max(0, bound)) / 1000;
}
