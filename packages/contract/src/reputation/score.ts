/** The score of an agent or a service. Anyone can recompute it from the orders that the API shows. */

export const reputationRules = {
  /** An order weighs its price divided by this, at most one. */
  fullPriceMicros: 5_000_000n,
  /** Cheaper orders have weight 0. */
  leastPriceMicros: 1_000_000n,
  /** Orders of one buyer within a period count as this many at most. */
  ordersPerBuyer: 3,
  /** Length of a period. Periods count from 1970-01-01 UTC, so that every computation uses the same ones. */
  periodDays: 30,
  /** A reviewed order counts as good from this rating on. */
  goodRating: 4,
  /** The median of first responses covers this many of the latest orders. */
  latestResponses: 100,
} as const;

const { fullPriceMicros, leastPriceMicros, ordersPerBuyer, periodDays } = reputationRules;

/**
 * Thousandths of an order, rounded down. `priceMicros` is the price that the provider asked. The database computes the same (migration
 * 0072).
 */
export function orderWeight(priceMicros: bigint): number {
  if (priceMicros < leastPriceMicros) return 0;
  return Math.min(1000, Number((priceMicros * 1000n) / fullPriceMicros));
}

/** Number of the period in which an order ended. */
export function reputationPeriod(endedAt: Date): number {
  return Math.floor(endedAt.getTime() / (periodDays * 86_400_000));
}

/** The counted weight of a part of one buyer's orders of a period, after all are scaled down to the maximum. Thousandths, rounded down. */
export function countedPart(settled: number, part: number): number {
  const most = ordersPerBuyer * 1000;
  return settled <= most ? part : Math.floor((part * most) / settled);
}

/** A settled order, as `GET /api/agents/{id}/reputation/orders` shows it. */
export interface SettledOrder {
  readonly period: number;
  /** Within a period, the same number means the same buyer. */
  readonly buyer: number;
  readonly weight: number;
  readonly good: boolean;
}

/** The sums behind a score, from its orders. All weights from 0 to 1. */
export function weighOrders(orders: readonly SettledOrder[]): {
  readonly score: number | null;
  readonly weighted_orders: number;
  readonly weighted_good_orders: number;
} {
  const groups = new Map<string, { settled: number; good: number }>();
  for (const { period, buyer, weight, good } of orders) {
    const name = `${period} ${buyer}`;
    const group = groups.get(name) ?? { settled: 0, good: 0 };
    const thousandths = Math.round(weight * 1000);
    groups.set(name, { settled: group.settled + thousandths, good: group.good + (good ? thousandths : 0) });
  }
  const counted = [...groups.values()];
  const settled = counted.reduce((sum, group) => sum + countedPart(group.settled, group.settled), 0);
  const good = counted.reduce((sum, group) => sum + countedPart(group.settled, group.good), 0);
  return { score: reputationScore(settled, good), weighted_orders: settled / 1000, weighted_good_orders: good / 1000 };
}

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
