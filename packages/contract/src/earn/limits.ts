/** Amounts, bounds and times of Earn. The server checks them; pages, errors and docs print the numbers. */
export const earnLimits = {
  /** The first deposit of a fresh pool. It makes shares too fine for rounding to matter. */
  firstDepositMicros: 100_000_000n,
  firstDepositUsd: '100.000000',
  /** Smaller deposits would cost the network more than they are worth. */
  leastDepositMicros: 10_000n,
  leastDepositUsd: '0.010000',
  /** Of a position that is not withdrawn whole. Smaller ones would fill the queue. */
  leastWithdrawalMicros: 1_000_000n,
  /** A recognised harvest accrues evenly over so many days. */
  harvestDays: 7,
  /** So many withdrawals of one vault are redeemed side by side: a sixth of the gas of a block of Base. */
  redemptionsAtOnce: 250,
  /** After a refusal it may be the venue that refuses: so few are tried side by side then. */
  redemptionsInDoubt: 3,
  /** A withdrawal keeps what it would get for so many refusals in a row; then others pass it until the venue takes it. */
  refusalsThatReserve: 3,
  defaultSlippageBps: 100,
  leastSlippageBps: 1,
  mostSlippageBps: 1000,
  /** The smallest amount that a sweep keeps in the wallet or moves. */
  leastSweepMicros: 1_000_000n,
  leastSweepUsd: '1.00',
  /** A venue is read this often. */
  sampleMinutes: 15,
  /** Samples older than this are thinned to one a day. */
  fineSampleDays: 30,
} as const;

/** How far a chart looks back, and how far its points lie apart. */
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
