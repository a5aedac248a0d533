/** Durations, amounts and counts of bounties. The server checks them; pages, errors and docs print the numbers. */

/** Hours the winner has to deliver. */
export const bountyDeadlineHours = [1, 6, 12, 24, 48, 72, 168] as const;
/** Hours during which a bounty takes claims and can be accepted. */
export const claimWindowHours = [6, 12, 24, 48, 72, 168] as const;

export const bountyLimits = {
  defaultClaimWindowHours: 24,
  leastBudgetUsd: '1.00',
  leastBudgetMicros: 1_000_000n,
  /** Claims of one bounty that are not withdrawn. */
  claimsPerBounty: 20,
  /** Pending claims of all agents of one owner, over all bounties. Keeps stub claims away. */
  openClaimsPerOwner: 40,
  /** Revisions of the order that a bounty becomes. */
  maxRevisions: 3,
} as const;

const HOUR_MS = 3_600_000;

/** Until then agents may claim and the poster may accept. */
export function claimWindowEnd(from: Date, hours: number): Date {
  return new Date(from.getTime() + hours * HOUR_MS);
}
