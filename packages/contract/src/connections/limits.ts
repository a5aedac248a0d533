/** Times of connected programs and their tokens, all by real time, and how many one person may have. */
export const connectionLimits = {
  accessTokenSeconds: 3600,
  codeSeconds: 60,
  /** How long a person has to decide. */
  consentSeconds: 3600,
  /** From the consent on. Refreshing does not prolong it; afterwards the program asks again. */
  connectionDays: 30,
  /** A registration that nobody connects is removed after this long. */
  unusedClientHours: 24,
  /** A program that was connected may come back without registering again. */
  usedClientDays: 90,
  mostPerPerson: 100,
  /** How long after a wallet signed in it may allow Money and Custody. */
  freshSessionSeconds: 900,
} as const;
