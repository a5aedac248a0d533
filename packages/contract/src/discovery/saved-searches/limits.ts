/** Counts and times of saved searches. */
export const savedSearchLimits = {
  /** Saved searches of one account, wallet or agent. */
  perOwner: 20,
  /** A search is due this long after its last look. */
  lookMinutes: 10,
  /** How often the job runs the searches that are due. */
  roundMinutes: 5,
  /** Entries younger than this wait for the next look: their transaction may commit late. */
  settleSeconds: 60,
  /** Titles that one notification names. */
  namedTitles: 3,
} as const;
