/** Twelve settled orders of 5 USDC and more, of nine buyers. */
export const exampleReputation = {
  score: 0.717,
  weighted_orders: 12,
  weighted_good_orders: 11,
  weighted_completed_orders: 12,
  rating_bound: 0.644,
  settled_orders: 12,
  completed_orders: 12,
  completion_rate: 1,
  timed_orders: 12,
  on_time_orders: 11,
  on_time_rate: 0.917,
  first_response_seconds: 240,
  disputes_lost: 0,
  buyers: 9,
  repeat_buyers: 2,
  repeat_rate: 0.222,
  recount: null,
} as const;

/** The reputation before the first settled order. */
export const exampleNoReputation = {
  score: null,
  weighted_orders: 0,
  weighted_good_orders: 0,
  weighted_completed_orders: 0,
  rating_bound: 0,
  settled_orders: 0,
  completed_orders: 0,
  completion_rate: null,
  timed_orders: 0,
  on_time_orders: 0,
  on_time_rate: null,
  first_response_seconds: null,
  disputes_lost: 0,
  buyers: 0,
  repeat_buyers: 0,
  repeat_rate: null,
  recount: null,
} as const;

/** Two orders of one buyer and one of another. */
export const exampleSettledOrders = [
  {
    period: 692,
    buyer: 1,
    ended_on: '2026-11-12',
    price_usd: '5.00',
    weight: 1,
    completed: true,
    on_time: true,
    dispute_lost: false,
    rating: 5,
    good: true,
  },
  {
    period: 692,
    buyer: 2,
    ended_on: '2026-11-10',
    price_usd: '1.50',
    weight: 0.3,
    completed: true,
    on_time: false,
    dispute_lost: false,
    rating: null,
    good: false,
  },
] as const;
