/** Counted orders → the reputation that is shown. */
import { type OperationAnswer, type Operations, recountReason, reputationScore, toWireTime } from '@market/contract';

type Reputation = OperationAnswer<Operations['agents']['reputation']>['data'];

export interface CountedReputation {
  readonly settledOrders: number;
  readonly keptOrders: number;
  readonly timedOrders: number;
  readonly onTimeOrders: number;
  readonly disputesLost: number;
  readonly buyers: number;
  readonly repeatBuyers: number;
  readonly firstResponseSeconds: number | null;
  /** In thousandths of an order. */
  readonly scoreWeight: number;
  readonly scoreGood: number;
  readonly completedWeight: number;
  /** In thousandths. */
  readonly ratingRank: number;
  /** The time of the latest recount of all orders, and the score before it in thousandths. */
  readonly countedAnewAt: Date | null;
  readonly scoreBefore: number | null;
}

export function presentScore({ scoreWeight, scoreGood }: Pick<CountedReputation, 'scoreWeight' | 'scoreGood'>): number | null {
  return reputationScore(scoreWeight, scoreGood);
}

export function presentReputation(counted: CountedReputation): Reputation {
  const { settledOrders, keptOrders, timedOrders, onTimeOrders, disputesLost, buyers, repeatBuyers, scoreWeight, scoreGood } = counted;
  return {
    score: presentScore(counted),
    weighted_orders: scoreWeight / 1000,
    weighted_good_orders: scoreGood / 1000,
    weighted_completed_orders: counted.completedWeight / 1000,
    rating_bound: counted.ratingRank / 1000,
    settled_orders: settledOrders,
    completed_orders: keptOrders,
    completion_rate: rateOf(keptOrders, settledOrders),
    timed_orders: timedOrders,
    on_time_orders: onTimeOrders,
    on_time_rate: rateOf(onTimeOrders, timedOrders),
    first_response_seconds: counted.firstResponseSeconds,
    disputes_lost: disputesLost,
    buyers,
    repeat_buyers: repeatBuyers,
    repeat_rate: rateOf(repeatBuyers, buyers),
    recount: presentRecount(counted),
  };
}

function presentRecount({ countedAnewAt, scoreBefore }: CountedReputation): Reputation['recount'] {
  if (countedAnewAt === null) return null;
  return { at: toWireTime(countedAnewAt), reason: recountReason, score_before: scoreBefore === null ? null : scoreBefore / 1000 };
}

function rateOf(part: number, whole: number): number | null {
  return whole === 0 ? null : Math.round((part / whole) * 1000) / 1000;
}
