/** Counts and times of spend policies. */
export const spendingLimits = {
  /** Limits per day look back this far from each call. */
  dayHours: 24,
  /** How long a person may take to decide. */
  approvalHours: 24,
  /** Payments of one key or connection that wait for a person. */
  waitingApprovals: 20,
  /** A reservation that bought nothing is released after this. */
  abandonedMinutes: 60,
  /** How often the job looks at reservations. */
  roundMinutes: 5,
  /** How long decisions stay readable. */
  keepDays: 90,
  /** Open budget sessions of one key or connection. */
  openBudgets: 20,
  /** Entries of one list of agents. */
  listedAgents: 100,
  leastBudgetSeconds: 60,
  mostBudgetSeconds: 30 * 24 * 3600,
} as const;
