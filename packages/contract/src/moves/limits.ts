/** Bounds of moves that wait. */
export const moveLimits = {
  /** Open at a time per account. */
  mostWaiting: 50,
  /** How long an exported key can be fetched. */
  readyHours: 24,
} as const;
