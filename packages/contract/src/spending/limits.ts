/** Counts and times of spend policies. */
export const spendingLimits = {
  /** Hours that daily limits look back from each call. */
  dayHours: 24,
  /** Hours that a person may take to approve. */
  approvalHours: 24,
  /** Payments of one key or connection that may wait for approval. */
  waitingApprovals: 20,
  /** Minutes after which a reservation without a purchase is released. */
  abandonedMinutes: 60,
  /** Minutes between two runs of the job that releases reservations. */
  roundMinutes: 5,
  /** Days that decisions stay readable. */
  keepDays: 90,
  /** Open budget sessions of one key or connection. */
  openBudgets: 20,
  /** Maximum entries of a policy's list of agents. */
  listedAgents: 100,
  leastBudgetSeconds: 60,
  mostBudgetSeconds: 30 * 24 * 3600,
} as const;
