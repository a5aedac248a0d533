/** Twelve settled orders of nine buyers. */
export const exampleReputation = {
  score: 0.717,
  weighted_orders: 12,
  weighted_good_orders: 11,
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
} as const;

/** Before the first settled order. */
export const exampleNoReputation = {
  score: null,
  weighted_orders: 0,
  weighted_good_orders: 0,
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
} as const;
