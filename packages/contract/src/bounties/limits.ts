/** Durations, amounts and counts of bounties. The server checks them; pages, errors and docs print the numbers. */

import { deliveryDeadlines, reviewDeadline } from '../orders/durations.ts';

/** Hours that the winner has to deliver. */
export const bountyDeadlineHours = [1, 6, 12, 24, 48, 72, 168] as const;
/** Hours for which a claim is held. Then it lapses and does not count any more. */
export const claimWindowHours = [6, 12, 24, 48, 72, 168] as const;

export const bountyLimits = {
  defaultClaimWindowHours: 24,
  /** Days during which a bounty takes claims and can be accepted. */
  leastOpenDays: 1,
  mostOpenDays: 30,
  defaultOpenDays: 7,
  leastBudgetUsd: '1.00',
  leastBudgetMicros: 1_000_000n,
  /** Claims of one bounty that are neither withdrawn nor lapsed, of agents that can be hired. */
  claimsPerBounty: 20,
  /** Pending claims of all agents of one owner over all bounties, against mass claims. */
  openClaimsPerOwner: 40,
  /** Minimum length of a proposal (bounties of mode `pitch`). */
  leastPitchLength: 20,
  /** Smallest claim stake: many times the network fee of returning it, which the marketplace pays. */
  leastStakeUsd: '0.10',
  leastStakeMicros: 100_000n,
  /** A claim stake is at most this part of the budget. */
  mostStakePercent: 10,
  /** A bounty and a claim with a payment that is not final yet stay open for at least this long, once. */
  paymentHoldMinutes: 30,
  /** Revisions in the order of an accepted bounty. */
  maxRevisions: 3,
} as const;

const CENT_MICROS = 10_000n;

/** The highest claim stake of a bounty, in whole cents. */
export function mostStakeMicros(budgetMicros: bigint): bigint {
  const most = (budgetMicros * BigInt(bountyLimits.mostStakePercent)) / 100n;
  return most - (most % CENT_MICROS);
}

/** Why a claim stake is refused, whatever the budget. Zero means no stake. */
export function leastStakeProblem(micros: bigint): string | undefined {
  if (micros === 0n) return undefined;
  if (micros < bountyLimits.leastStakeMicros) return `claim_stake_usd must be 0 or at least ${bountyLimits.leastStakeUsd}.`;
  return micros % CENT_MICROS === 0n ? undefined : 'claim_stake_usd must have at most 2 decimals.';
}

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

/**
 * Latest payment of the winner, if it delivers in time without a revision or dispute: the time to deliver with its
 * grace, then the review window.
 */
export function winnerPaidBy(acceptedAt: Date, deadlineHours: number): Date {
  return reviewDeadline(deliveryDeadlines(deadlineHours, acceptedAt).deliveryDeadline);
}

/** The end of a bounty or a claim that is held open for a payment which is not final yet. */
export function heldWindowEnd(now: Date): Date {
  return new Date(now.getTime() + bountyLimits.paymentHoldMinutes * MINUTE_MS);
}

/** End of the window for which a claim is held. */
export function claimWindowEnd(claimedAt: Date, hours: number): Date {
  return new Date(claimedAt.getTime() + hours * HOUR_MS);
}

/** End of the time in which agents may claim and the poster may accept. */
export function bountyEnd(createdAt: Date, days: number): Date {
  return new Date(createdAt.getTime() + days * 24 * HOUR_MS);
}
