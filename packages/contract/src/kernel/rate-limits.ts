/** At most `requests` per client and endpoint in a window that opens with the first request. */
export interface RateLimit {
  readonly requests: number;
  readonly windowSeconds: number;
  /** Counts by client address even if the caller is known: this call makes new callers, each with its own limits. */
  readonly countsAddress?: true;
}

const MINUTE = 60;
const HOUR = 3600;

/**
 * The specification's table, row by row. A row may name several endpoints; each endpoint has its own counter.
 * Operations take their limits from this table; no other file has the numbers.
 */
export const rateLimitTable = {
  registerAgent: { endpoints: ['POST /api/agents/register'], requests: 5, windowSeconds: HOUR, countsAddress: true },
  createService: { endpoints: ['POST /api/agents/{id}/services'], requests: 20, windowSeconds: HOUR },
  listAgentOrders: { endpoints: ['GET /api/agents/{id}/orders'], requests: 30, windowSeconds: HOUR },
  deliverOrder: { endpoints: ['POST /api/orders/{id}/deliver'], requests: 30, windowSeconds: HOUR },
  upload: { endpoints: ['POST /api/upload'], requests: 30, windowSeconds: HOUR },
  token: { endpoints: ['POST /api/agents/{id}/token', 'POST /api/agents/{id}/token/launch'], requests: 10, windowSeconds: HOUR },
  mintIdentity: { endpoints: ['POST /api/agents/{id}/said'], requests: 10, windowSeconds: HOUR },
  placeOrder: { endpoints: ['POST /api/orders'], requests: 30, windowSeconds: HOUR },
  sendMessage: { endpoints: ['POST /api/orders/{id}/messages'], requests: 60, windowSeconds: HOUR },
  bounties: {
    endpoints: ['POST /api/bounties', 'POST /api/bounties/{id}/claim', 'POST /api/bounties/{id}/accept'],
    requests: 30,
    windowSeconds: HOUR,
  },
  x402Discover: {
    endpoints: ['GET /api/x402/discover', 'GET /api/x402/discover/{service_id}'],
    requests: 600,
    windowSeconds: HOUR,
  },
  x402Pay: { endpoints: ['POST /api/x402/pay'], requests: 30, windowSeconds: HOUR },
  marketData: { endpoints: ['POST /api/market'], requests: 30, windowSeconds: MINUTE },
  updateProfile: { endpoints: ['PUT /api/profile'], requests: 60, windowSeconds: 10 * MINUTE },
  earnMarkets: { endpoints: ['GET /api/earn/pool/markets'], requests: 120, windowSeconds: MINUTE },
  earnPools: { endpoints: ['GET /api/earn/pool/pools'], requests: 60, windowSeconds: MINUTE },
} as const satisfies Record<string, RateLimit & { readonly endpoints: readonly string[] }>;

/** Limits of endpoints that are not in the specification's table. */
export const furtherRateLimits = {
  recoverAgent: { requests: 10, windowSeconds: HOUR },
  challenge: { requests: 60, windowSeconds: 10 * MINUTE },
  createSession: { requests: 60, windowSeconds: 10 * MINUTE },
  exchangeCode: { requests: 30, windowSeconds: 10 * MINUTE },
  checkUsername: { requests: 60, windowSeconds: MINUTE },
  rotateKey: { requests: 10, windowSeconds: HOUR },
  briefImage: { requests: 30, windowSeconds: HOUR },
  listOrders: { requests: 600, windowSeconds: HOUR },
  quoteOrder: { requests: 30, windowSeconds: HOUR },
  generate: { requests: 120, windowSeconds: HOUR },
  reviewOrder: { requests: 30, windowSeconds: HOUR },
  requestPayoutRetry: { requests: 30, windowSeconds: HOUR },
  x402Feeds: { requests: 600, windowSeconds: HOUR },
  x402Quote: { requests: 600, windowSeconds: HOUR },
  anonymousMcp: { requests: 20, windowSeconds: HOUR },
  readEvents: { requests: 600, windowSeconds: MINUTE },
  openEventStream: { requests: 120, windowSeconds: MINUTE },
  stateCase: { requests: 30, windowSeconds: HOUR },
  search: { requests: 240, windowSeconds: MINUTE },
  saveSearch: { requests: 60, windowSeconds: HOUR },
  publicFigures: { requests: 120, windowSeconds: MINUTE },
  ping: { requests: 30, windowSeconds: HOUR },
  redeliver: { requests: 60, windowSeconds: HOUR },
  preparePayment: { requests: 120, windowSeconds: MINUTE },
  handInPayment: { requests: 30, windowSeconds: MINUTE },
  followPayment: { requests: 240, windowSeconds: MINUTE },
  claimFees: { requests: 20, windowSeconds: HOUR },
  swap: { requests: 30, windowSeconds: HOUR },
  rotateSecret: { requests: 10, windowSeconds: HOUR },
  allowPayer: { requests: 30, windowSeconds: HOUR },
  funding: { requests: 120, windowSeconds: MINUTE },
  registerProgram: { requests: 10, windowSeconds: HOUR },
  authorizeProgram: { requests: 120, windowSeconds: 10 * MINUTE },
  exchangeProgram: { requests: 600, windowSeconds: 10 * MINUTE },
  onchainFeedback: { requests: 60, windowSeconds: MINUTE },
  setSpendPolicy: { requests: 120, windowSeconds: HOUR },
  checkSpending: { requests: 120, windowSeconds: MINUTE },
  openBudget: { requests: 60, windowSeconds: HOUR },
  /** All wallets of one address share the limit: each call costs the marketplace network fees. */
  earnMoves: { requests: 120, windowSeconds: HOUR, countsAddress: true },
  /** Each call asks chains about the wallets of all agents of the account. */
  closeAccount: { requests: 30, windowSeconds: 10 * MINUTE },
  exportData: { requests: 120, windowSeconds: 10 * MINUTE },
  /** Calls with an Idempotency-Key to endpoints without a limit of their own: each stores its answer for a day. */
  keyedCalls: { requests: 2_000, windowSeconds: HOUR },
  /** The same over MCP for all agents and programs of one address: agents are free, and each has its own limits there. */
  keyedCallsOfAddress: { requests: 10_000, windowSeconds: HOUR },
} as const satisfies Record<string, RateLimit>;

/** Limits per agent instead of per client address; the key export counts each chain separately. */
export const agentRateLimits = {
  walletSend: { requests: 20, windowSeconds: 10 * MINUTE },
  walletWithdraw: { requests: 10, windowSeconds: 10 * MINUTE },
  registerOnchain: { requests: 5, windowSeconds: 10 * MINUTE },
  exportKey: { requests: 3, windowSeconds: HOUR },
} as const satisfies Record<string, RateLimit>;

/** Limits per owner of a position (agent, account or wallet), whatever its address. Deposits and withdrawals share one limit. */
export const ownerRateLimits = {
  earnMove: { requests: 30, windowSeconds: HOUR },
  earnPositions: { requests: 120, windowSeconds: HOUR },
} as const satisfies Record<string, RateLimit>;
