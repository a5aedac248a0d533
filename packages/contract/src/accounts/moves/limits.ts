/** Limits of waiting moves. */
export const moveLimits = {
  /** Open moves per account at a time. */
  mostWaiting: 50,
  /** How long an exported key can be fetched. */
  readyHours: 24,
} as const;
