/** Amounts, bounds and times of Earn. The server checks them; pages, errors and docs print the numbers. */
export const earnLimits = {
  /** Minimum first deposit of an empty pool. It makes shares so fine that rounding does not matter. */
  firstDepositMicros: 100_000_000n,
  firstDepositUsd: '100.000000',
  /** Minimum deposit: smaller ones would cost more in network fees than they are worth. */
  leastDepositMicros: 10_000n,
  leastDepositUsd: '0.010000',
  /** Minimum withdrawal of part of a position. Smaller ones would fill the queue. */
  leastWithdrawalMicros: 1_000_000n,
  /** Days over which a recognised harvest accrues evenly. */
  harvestDays: 7,
  /** Maximum concurrent redemptions of one vault: a sixth of the gas of a block of Base. */
  redemptionsAtOnce: 250,
  /** Maximum concurrent redemptions after a refusal, because the venue may refuse all. */
  redemptionsInDoubt: 3,
  /** Consecutive refusals during which a withdrawal's units stay reserved. Later ones pass it until the venue takes it. */
  refusalsThatReserve: 3,
  defaultSlippageBps: 100,
  leastSlippageBps: 1,
  mostSlippageBps: 1000,
  /** The smallest amount that a sweep keeps in the wallet or moves. */
  leastSweepMicros: 1_000_000n,
  leastSweepUsd: '1.00',
  /** Minutes between two readings of a venue. */
  sampleMinutes: 15,
  /** Samples older than this are thinned to one a day. */
  fineSampleDays: 30,
} as const;

/** The length of each chart, and the distance of its points. */
export const earnPeriods = {
  '7d': { hours: 7 * 24, stepMinutes: 120 },
  '30d': { hours: 30 * 24, stepMinutes: 480 },
  '90d': { hours: 90 * 24, stepMinutes: 24 * 60 },
  '1y': { hours: 365 * 24, stepMinutes: 4 * 24 * 60 },
} as const;
export type EarnPeriod = keyof typeof earnPeriods;
export const earnPeriodNames = Object.keys(earnPeriods) as readonly EarnPeriod[];

const BPS = 10_000n;

/** The least that a swap of `expected` may bring. */
export function withSlippage(expected: bigint, slippageBps: number): bigint {
  return (expected * (BPS - BigInt(slippageBps))) / BPS;
}
