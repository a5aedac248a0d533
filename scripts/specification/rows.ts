/**
 * The rows of the specification's tables (endpoints, tools, events, errors, limits), copied from it, each with an id. A test cites the ids
 * that it proves at the start of its title, `E07: …` or `W01, E07: …`; so does a data row that becomes a test. `npm run generate` writes
 * the page and fails for a row without a citation.
 */

export interface SpecificationRow {
  readonly id: string;
  readonly row: string;
}

export interface SpecificationTable {
  readonly title: string;
  readonly rows: readonly SpecificationRow[];
}

const row = (id: string, text: string): SpecificationRow => ({ id, row: text });

const endpoints: readonly SpecificationRow[] = [
  row('E01', 'POST /api/auth/user'),
  row('E02', 'GET /api/agents'),
  row('E03', 'POST /api/agents/register'),
  row('E04', 'POST /api/agents/register, paid by x402'),
  row('E05', 'POST /api/agents/recover'),
  row('E06', 'GET /api/agents/me'),
  row('E07', 'PATCH /api/agents/me'),
  row('E08', 'GET /api/agents/{id}/funding'),
  row('E09', 'POST /api/agents/{id}/token/launch'),
  row('E10', 'POST /api/agents/{id}/token'),
  row('E11', 'Token info read'),
  row('E12', 'POST /api/agents/{id}/said'),
  row('E13', 'Server-wallet money movement'),
  row('E14', 'Swap proxy, USDC to SOL'),
  row('E15', 'POST /api/agents/{id}/services'),
  row('E16', 'Listing, updating and deactivating services'),
  row('E17', 'POST /api/orders'),
  row('E18', 'GET /api/orders/{id}'),
  row('E19', 'PATCH /api/orders/{id}, action pay'),
  row('E20', 'PATCH /api/orders/{id}, action revision'),
  row('E21', 'PATCH /api/orders/{id}, action dispute'),
  row('E22', 'PATCH /api/orders/{id}, action approve'),
  row('E23', 'PATCH /api/orders/{id}, action cancel'),
  row('E24', 'POST /api/orders/{id}/quote'),
  row('E25', 'POST /api/orders/{id}/deliver'),
  row('E26', 'POST /api/orders/{id}/messages'),
  row('E27', 'POST /api/orders/{id}/generate'),
  row('E28', 'GET /api/agents/{id}/orders'),
  row('E29', 'POST /api/upload'),
  row('E30', 'Creating a review'),
  row('E31', 'Reading and hiding portfolio entries'),
  row('E32', 'POST /api/bounties'),
  row('E33', 'POST /api/bounties/{id}/claim'),
  row('E34', 'GET /api/bounties/{id}'),
  row('E35', 'GET /api/bounties/my'),
  row('E36', 'POST /api/bounties/{id}/accept'),
  row('E37', 'Withdrawing a claim, listing bounties'),
  row('E38', 'GET /api/x402/services'),
  row('E39', 'GET /api/x402/discover?service_id='),
  row('E40', 'GET /api/x402/discover/{service_id}'),
  row('E41', 'POST /api/x402/pay?service_id='),
  row('E42', 'GET /api/x402/trending'),
  row('E43', 'GET /api/x402/directory'),
  row('E44', 'POST /api/orders with X-PAYMENT'),
  row('E45', 'POST /api/x402/mcp'),
  row('E46', 'GET /.well-known/x402'),
  row('E47', 'GET /openapi.json'),
  row('E48', 'POST /api/earn/pool/deposit'),
  row('E49', 'GET /api/earn/pool/positions'),
  row('E50', 'GET /api/earn/pool/markets'),
  row('E51', 'GET /api/earn/pool/pools'),
  row('E52', 'POST /api/earn/pool/withdraw'),
  row('E53', 'Platform statistics, metrics and activity'),
  row('E54', 'Notifications'),
  row('E55', 'PUT /api/profile'),
  row('E56', 'POST /api/market'),
  row('E57', 'Creator-fee administration'),
  row('E58', 'MCP at {app_url}/mcp, 308 from the other host'),
];

/** Tools in the specification's order; a tool's name is its id, which the cases of `test/mcp` cite. */
const toolNames = [
  'register_agent',
  'get_profile',
  'update_profile',
  'verify_twitter',
  'manage_portfolio',
  'list_services',
  'create_service',
  'update_service',
  'delete_service',
  'poll_orders',
  'get_order',
  'quote_order',
  'deliver_order',
  'approve_order',
  'cancel_order',
  'request_revision',
  'dispute_order',
  'send_message',
  'get_messages',
  'list_bounties',
  'get_bounty',
  'claim_bounty',
  'withdraw_claim',
  'get_token',
  'register_token',
  'launch_token',
  'earn_markets',
  'earn_positions',
  'earn_deposit',
  'earn_withdraw',
  'search_agents',
  'get_payment_requirements',
  'submit_payment',
  'browse_agents',
  'featured_agents',
  'platform_stats',
  'activity_feed',
  'get_market_data',
  'list_models',
] as const;

const anonymousTools: readonly SpecificationRow[] = [row('N01', 'search_agents'), row('N02', 'hire_agent')];

const events: readonly SpecificationRow[] = [
  row('D01', 'order.created'),
  row('D02', 'order.paid'),
  row('D03', 'order.revision_requested'),
  row('D04', 'order.disputed'),
  row('D05', 'order.completed'),
  row('D06', 'order.cancelled'),
  row('D07', 'order.message'),
  row('D08', 'order.payout_sent'),
  row('D09', 'order.payout_failed'),
  row('D10', 'bounty.accepted'),
  row('D11', 'bounty.claim_rejected'),
  row('D12', 'Five headers and the signature'),
  row('D13', 'No other events'),
];

const errors: readonly SpecificationRow[] = [
  row('F01', '400 bad request'),
  row('F02', '401 unauthorized'),
  row('F03', '402 payment required'),
  row('F04', '403 forbidden'),
  row('F05', '404 not found'),
  row('F06', '409 conflict'),
  row('F07', '422 unprocessable'),
  row('F08', '429 too many requests'),
  row('F09', '500 internal server error'),
  row('F10', '503 service unavailable'),
];

const bounds: readonly SpecificationRow[] = [
  row('P01', 'agent name: 3-40 characters'),
  row('P02', 'agent description: 10-500 characters'),
  row('P03', 'token symbol: 1-10 characters'),
  row('P04', 'token name: 1-32 characters'),
  row('P05', 'token description: at least 20 characters'),
  row('P06', 'token launches per agent: 1'),
  row('P07', 'launch cost: live figure in the funding record'),
  row('P08', 'quote price: at most 1,000,000 USD'),
  row('P09', 'bounty budget: at least 1.00 USD'),
  row('P10', 'bounty deadline_hours'),
  row('P11', 'claim_window_hours, default 24'),
  row('P12', 'bounty escrow: 110% of the budget'),
  row('P13', 'review: 1-5 stars'),
  row('P14', 'review window before auto-release: 48 hours'),
  row('P15', 'first deposit into a fresh Earn pool: 100 USD'),
  row('P16', 'subscription periods: 7 and 30 days'),
  row('P17', 'webhook timeout and attempts: 5 s, 3'),
  row('P18', 'anonymous MCP search_agents limit: 1-50, default 20'),
  row('P19', 'creator fees: 65, 23.33 and 11.67%'),
];

/** The id of all rate limits: one test takes every row of that table. */
const RATE_LIMITS = 'L01';

/** Ids that titles may cite besides those of the threat table. */
export const specificationIds: ReadonlySet<string> = new Set(
  [...endpoints, ...anonymousTools, ...events, ...errors, ...bounds].map(({ id }) => id).concat(RATE_LIMITS),
);

export function specificationTables(
  rateLimits: readonly { readonly endpoints: readonly string[]; readonly requests: number; readonly windowSeconds: number }[],
): readonly SpecificationTable[] {
  return [
    { title: 'Endpoints', rows: endpoints },
    { title: 'Tools', rows: toolNames.map((name) => row(name, `market_${name}`)) },
    { title: 'Anonymous tools', rows: anonymousTools },
    { title: 'Events', rows: events },
    { title: 'Errors', rows: errors },
    {
      title: 'Rate limits',
      rows: rateLimits.map(({ endpoints, requests, windowSeconds }) =>
        row(RATE_LIMITS, `${endpoints.join(', ')}: ${requests} per ${windowSeconds} s`),
      ),
    },
    { title: 'Bounds', rows: bounds },
  ];
}
