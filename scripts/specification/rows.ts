/**
 * The rows of the specification's tables (endpoints, tools, events, errors, limits), typed from it, each with the tests that prove it.
 * `npm run generate` writes them as a page; a proof whose file no longer holds its words fails the check.
 */

/** A file of tests, and words of the title or the row of data that proves it. */
export type Proof = readonly [file: string, words: string];

export interface SpecificationRow {
  readonly row: string;
  readonly proofs: readonly Proof[];
}

export interface SpecificationTable {
  readonly title: string;
  readonly rows: readonly SpecificationRow[];
}

const row = (text: string, ...proofs: readonly Proof[]): SpecificationRow => ({ row: text, proofs });

const example = (name: string) => `test/conformance/spec-examples/${name}.ts`;
const conformance = (name: string) => `test/conformance/${name}.test.ts`;
const flows = 'test/webhooks/flows.test.ts';
const sending = 'test/webhooks/sending.alone.test.ts';
/** One case per tool, which `all-tools.test.ts` calls remotely and over stdio. */
const tools = 'test/mcp/tool-cases.ts';
const anonymous = 'test/conformance/anonymous-mcp.test.ts';

const endpoints: readonly SpecificationRow[] = [
  row(
    'POST /api/auth/user',
    [example('agents'), 'POST /api/auth/user with an identity-provider token'],
    [conformance('accounts'), 'answers the User table, wallets, is_new and backfilled'],
  ),
  row(
    'GET /api/agents',
    [example('agents'), 'GET /api/agents?wallet=…'],
    [conformance('browse'), 'browse lists active agents with an owner and in good standing only'],
  ),
  row(
    'POST /api/agents/register',
    [example('agents'), 'POST /api/agents/register { name, description }, bare'],
    [conformance('register'), 'duplicate: the same name and description within the hour is 409 duplicate_agent'],
  ),
  row(
    'POST /api/agents/register, paid by x402',
    [example('agents'), 'POST /api/agents/register?pay=x402'],
    [example('agents'), '{ pay_to_register: true }, then X-PAYMENT'],
  ),
  row(
    'POST /api/agents/recover',
    [example('agents'), 'POST /api/agents/recover with a wallet signature'],
    [conformance('recover'), 'signature returns the key of the registration, not rotated'],
  ),
  row('GET /api/agents/me', [example('agents'), 'GET /api/agents/me'], [conformance('agent-me'), 'the own record has the further fields']),
  row(
    'PATCH /api/agents/me',
    [example('agents'), 'PATCH /api/agents/me { endpoint_url }'],
    ['test/attacks/endpoint-url.test.ts', 'W01: a private, loopback, link-local, metadata'],
  ),
  row(
    'GET /api/agents/{id}/funding',
    [example('agents'), 'GET /api/agents/{id}/funding'],
    [conformance('agent-wallets'), 'GET funding: the costs follow the chain'],
  ),
  row(
    'POST /api/agents/{id}/token/launch',
    [example('agents'), 'POST /api/agents/{id}/token/launch'],
    [conformance('token-launch'), 'a funded agent launches'],
  ),
  row(
    'POST /api/agents/{id}/token',
    [example('agents'), 'POST /api/agents/{id}/token {'],
    [conformance('tokens'), 'a second token is 409'],
  ),
  row('Token info read', [conformance('tokens'), 'an agent without a token is read with nulls, an unknown agent is 404']),
  row(
    'POST /api/agents/{id}/said',
    [example('agents'), 'POST /api/agents/{id}/said'],
    [conformance('token-launch'), 'said: one non-transferable token in the agent’s wallet'],
  ),
  row(
    'Server-wallet money movement',
    [conformance('agent-wallets'), 'an agent has 20 sends and 10 withdrawals per 10 minutes'],
    [conformance('agent-wallets'), 'POST export-key: the owner gets a key'],
  ),
  row('Swap proxy, USDC to SOL', [conformance('swap'), 'a taker without SOL gets what was quoted, for exactly the USDC, once']),
  row(
    'POST /api/agents/{id}/services',
    [example('agents'), 'POST /api/agents/{id}/services'],
    [conformance('services'), 'answers 201 with the whole record and the defaults'],
  ),
  row(
    'Listing, updating and deactivating services',
    [conformance('services'), 'changes exactly the given fields; the slug stays'],
    [conformance('services'), 'DELETE answers active 0, also when repeated'],
  ),
  row('POST /api/orders', [example('orders'), 'POST /api/orders { service_id, brief, wallet, wallet_sig, wallet_sig_ts }']),
  row('GET /api/orders/{id}', [example('orders'), 'GET /api/orders/{id}']),
  row('PATCH /api/orders/{id}, action pay', [example('orders'), '{ action: pay, escrow_tx_hash }']),
  row('PATCH /api/orders/{id}, action revision', [example('orders'), 'PATCH { action: revision } with feedback']),
  row('PATCH /api/orders/{id}, action dispute', [example('orders'), 'PATCH { action: dispute } with a reason']),
  row('PATCH /api/orders/{id}, action approve', [example('orders'), '{ action: approve }']),
  row(
    'PATCH /api/orders/{id}, action cancel',
    [example('orders'), 'quoted, PATCH action=cancel'],
    [example('orders'), 'paid, PATCH action=cancel, refunded'],
  ),
  row('POST /api/orders/{id}/quote', [example('orders'), 'POST /api/orders/{id}/quote by the provider agent']),
  row(
    'POST /api/orders/{id}/deliver',
    [example('orders'), 'a single deliverable from an upload'],
    [example('orders'), 'an array of deliverables'],
  ),
  row(
    'POST /api/orders/{id}/messages',
    [example('orders'), 'POST /api/orders/{id}/messages'],
    [conformance('messages'), 'content has 1 to 2000 characters'],
  ),
  row('POST /api/orders/{id}/generate', [example('orders'), 'POST /api/orders/{id}/generate']),
  row('GET /api/agents/{id}/orders', [example('orders'), 'GET /api/agents/{id}/orders, by a comma-separated list of statuses']),
  row(
    'POST /api/upload',
    [example('agents'), 'POST /api/upload'],
    [conformance('uploads'), 'every accepted file type is detected by content'],
  ),
  row(
    'Creating a review',
    [example('orders'), 'a review of 1 to 5 stars after completion'],
    [conformance('reviews'), 'accept a whole number from 1 to 5'],
  ),
  row('Reading and hiding portfolio entries', [conformance('portfolio'), 'shows hidden entries to the owner alone']),
  row('POST /api/bounties', [example('bounties'), 'POST /api/bounties {']),
  row(
    'POST /api/bounties/{id}/claim',
    [example('bounties'), 'POST /api/bounties/{id}/claim by an agent'],
    [example('bounties'), 'a second claim by the same agent answers 409'],
  ),
  row('GET /api/bounties/{id}', [example('bounties'), 'GET /api/bounties/{id}?include_claims=1']),
  row('GET /api/bounties/my', [example('bounties'), 'GET /api/bounties/my']),
  row(
    'POST /api/bounties/{id}/accept',
    [example('bounties'), 'POST /api/bounties/{id}/accept'],
    ['test/scenarios/a-bounty.test.ts', '110% in, the budget to the winner, 10% to the marketplace'],
  ),
  row(
    'Withdrawing a claim, listing bounties',
    ['test/scenarios/a-bounty.test.ts', 'a withdrawn claim can be made again'],
    [conformance('bounties'), 'lists refuse a category and amounts that are none'],
  ),
  row('GET /api/x402/services', [example('machines'), 'GET /api/x402/services']),
  row('GET /api/x402/discover?service_id=', [example('machines'), 'GET /api/x402/discover?service_id=<id>']),
  row(
    'GET /api/x402/discover/{service_id}',
    [example('machines'), 'GET /api/x402/discover/{service_id}'],
    [example('machines'), 'the brief as X-Market-Brief, paid'],
  ),
  row(
    'POST /api/x402/pay?service_id=',
    [example('machines'), 'POST /api/x402/pay?service_id=<id>'],
    [example('machines'), 'X-Payment-Network: alt-mainnet'],
  ),
  row('GET /api/x402/trending', [example('machines'), 'GET /api/x402/trending']),
  row('GET /api/x402/directory', [example('machines'), 'GET /api/x402/directory']),
  row('POST /api/orders with X-PAYMENT', [example('machines'), 'POST /api/orders with X-PAYMENT']),
  row(
    'POST /api/x402/mcp',
    [anonymous, 'initialize answers revision 2024-11-05, whatever revision was asked for'],
    [anonymous, 'anonymous MCP takes 20 messages per hour and address'],
  ),
  row('GET /.well-known/x402', [example('machines'), 'GET /.well-known/x402']),
  row('GET /openapi.json', [example('machines'), 'GET /openapi.json']),
  row('POST /api/earn/pool/deposit', [example('earn'), 'POST /api/earn/pool/deposit']),
  row('GET /api/earn/pool/positions', [example('earn'), 'GET /api/earn/pool/positions']),
  row('GET /api/earn/pool/markets', [example('earn'), 'GET /api/earn/pool/markets']),
  row('GET /api/earn/pool/pools', [example('earn'), 'GET /api/earn/pool/pools']),
  row('POST /api/earn/pool/withdraw', [example('earn'), 'POST /api/earn/pool/withdraw']),
  row(
    'Platform statistics, metrics and activity',
    ['test/stats/figures.test.ts', 'page the feed without gaps or duplicates, and filter it by kind'],
    [conformance('figures'), 'equal the records after a mixed run on two servers'],
  ),
  row('Notifications', [conformance('notifications'), 'are paged, counted, filtered and marked as read by their reader only']),
  row(
    'PUT /api/profile',
    [example('machines'), 'PUT /api/profile'],
    [conformance('profiles'), 'an omitted field stays, an empty one is cleared'],
  ),
  row('POST /api/market', [example('machines'), 'POST /api/market'], [conformance('market-data'), 'allows 30 calls a minute']),
  row('Creator-fee administration', ['test/money/creator-fees.test.ts', 'the operators’ key reads and does not write']),
  row(
    'MCP at {app_url}/mcp, 308 from the other host',
    ['test/mcp/remote-journeys.test.ts', 'carries a whole hire: register, list, order, pay, deliver, approve'],
    ['test/attacks/mcp-browsers.test.ts', 'O16: the API host redirects with 308 to exactly the endpoint'],
  ),
];

/** In the specification's order; each is called with good and bad arguments, remotely and over stdio. */
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

const events: readonly SpecificationRow[] = [
  row('order.created', [flows, 'for a machine’s hire: created as paid'], [flows, 'for a cancelled quote: created and cancelled']),
  row('order.paid', [flows, 'for a hire with a revision: created, paid']),
  row('order.revision_requested', [flows, 'message, revision and completion']),
  row('order.disputed', [flows, 'a dispute, a workspace that opens with its payment']),
  row('order.completed', [flows, 'and an automatic release']),
  row('order.cancelled', [flows, 'for a cancelled quote: created and cancelled']),
  row('order.message', [flows, 'created, paid, message']),
  row('order.payout_sent', [flows, 'the sent payout, and a failed one']),
  row('order.payout_failed', [flows, 'the sent payout, and a failed one']),
  row('bounty.accepted', [flows, 'bounty.accepted under the order of the winner']),
  row('bounty.claim_rejected', [flows, 'bounty.claim_rejected and bounty.invited without an order']),
  row('Five headers and the signature', [sending, 'is one POST with five headers']),
  row('No other events', [flows, 'only the eleven events of the specification']),
];

const errors: readonly SpecificationRow[] = [
  row('400 bad request', [conformance('errors'), 'a missing description'], [conformance('errors'), 'a body that is not JSON']),
  row('401 unauthorized', [conformance('errors'), 'missing credentials'], [conformance('errors'), 'an expired signature']),
  row(
    '402 payment required',
    [example('machines'), 'GET /api/x402/discover?service_id=<id>'],
    [conformance('token-launch'), 'underfunded: 402 with the figures of the funding record'],
  ),
  row('403 forbidden', [conformance('errors'), 'a write on an agent that is not owned']),
  row('404 not found', [conformance('errors'), 'an agent that does not exist']),
  row(
    '409 conflict',
    [conformance('errors'), 'a duplicate agent'],
    [conformance('tokens'), 'a second token is 409'],
    [conformance('reviews'), 'are accepted once per order'],
  ),
  row('422 unprocessable', [conformance('errors'), 'an Idempotency-Key used for something else']),
  row('429 too many requests', [conformance('rate-limits'), 'and the next is 429 with its four headers']),
  row('500 internal server error', ['test/attacks/hostile-input.test.ts', 'an internal error reveals only a request id to the caller']),
  row('503 service unavailable', [conformance('earn'), 'answers 503'], [conformance('swap'), 'swaps answer 503']),
];

const bounds: readonly SpecificationRow[] = [
  row('agent name: 3-40 characters', [conformance('agent-fields'), 'name']),
  row('agent description: 10-500 characters', [conformance('agent-fields'), 'states 10-500 characters']),
  row(
    'token symbol: 1-10 characters',
    [conformance('bounds'), "text('token_symbol', 10)"],
    [conformance('token-launch'), 'the checks come in the order of the contract'],
  ),
  row('token name: 1-32 characters', [conformance('bounds'), "text('token_name', 32)"]),
  row('token description: at least 20 characters', [conformance('token-launch'), 'a short description of the agent are refused']),
  row('token launches per agent: 1', [conformance('token-launch'), 'ten requests at once make one mint']),
  row('launch cost: live figure in the funding record', [conformance('agent-wallets'), 'GET funding: the costs follow the chain']),
  row('quote price: at most 1,000,000 USD', [conformance('bounds'), 'a quote is at most 1,000,000 USD']),
  row('bounty budget: at least 1.00 USD', [conformance('bounties'), 'at least 1.00, with two decimals']),
  row('bounty deadline_hours', [conformance('bounties'), 'is held to its bounds']),
  row('claim_window_hours, default 24', [conformance('bounties'), 'is held to its bounds']),
  row('bounty escrow: 110% of the budget', ['test/scenarios/a-bounty.test.ts', '110% in']),
  row('review: 1-5 stars', [conformance('reviews'), 'accept a whole number from 1 to 5']),
  row('review window before auto-release: 48 hours', ['test/orders/clock.test.ts', '48 hours after the delivery, to the second']),
  row('first deposit into a fresh Earn pool: 100 USD', ['test/earn/attacks.test.ts', 'is at least 100 USD']),
  row('subscription periods: 7 and 30 days', ['test/orders/clock-workspaces.test.ts', 'days; unanswered requests do not count']),
  row(
    'webhook timeout and attempts: 5 s, 3',
    [sending, 'without an answer within 5 s has failed'],
    [sending, 'is retried after 1 s and 4 s'],
  ),
  row('anonymous MCP search_agents limit: 1-50, default 20', [anonymous, 'search_agents clamps limit to 1 to 50']),
  row('creator fees: 65, 23.33 and 11.67%', ['packages/contract/src/fees/split.test.ts', '65, 23.33 and 11.67 percent']),
];

const limitProof: Proof = [conformance('rate-limits'), 'is served with its row: ${requests} per ${windowSeconds} s'];

export function specificationTables(
  rateLimits: readonly { readonly endpoints: readonly string[]; readonly requests: number; readonly windowSeconds: number }[],
): readonly SpecificationTable[] {
  return [
    { title: 'Endpoints', rows: endpoints },
    { title: 'Tools', rows: toolNames.map((name) => row(`market_${name}`, [tools, `tool: '${name}'`])) },
    {
      title: 'Anonymous tools',
      rows: [
        row('search_agents', [anonymous, 'search_agents finds payable services with prices']),
        row('hire_agent', [anonymous, 'hire_agent returns requirements that a transfer can pay']),
      ],
    },
    { title: 'Events', rows: events },
    { title: 'Errors', rows: errors },
    {
      title: 'Rate limits',
      rows: rateLimits.map(({ endpoints, requests, windowSeconds }) =>
        row(`${endpoints.join(', ')}: ${requests} per ${windowSeconds} s`, limitProof),
      ),
    },
    { title: 'Bounds', rows: bounds },
  ];
}
