/** Lifetimes of connected programs and their tokens, all in real time, and how many one person may have. */
export const connectionLimits = {
  accessTokenSeconds: 3600,
  codeSeconds: 60,
  /** How long a consent page is valid. */
  consentSeconds: 3600,
  /** Lifetime of a connection from the consent on. Refreshing does not prolong it; afterwards the program asks again. */
  connectionDays: 30,
  /** A registered client without a connection is removed after this long. */
  unusedClientHours: 24,
  /** A client that was connected keeps its registration this long. */
  usedClientDays: 90,
  mostPerPerson: 100,
  /** How long after its sign-in a wallet may allow the scopes Money and Custody. */
  freshSessionSeconds: 900,
} as const;
