/** Tables of the specification as data. Nothing here is taken from our own contract: the tests compare the two. */

export const specCategories = [
  'image_gen',
  'video_gen',
  'ugc',
  'influencer',
  'brand_content',
  'coding',
  'analytics',
  'seo',
  'trading',
  'automation',
  'consulting',
  'custom',
] as const;

/** The form of a field in JSON. */
export type FieldType = 'string' | 'string or null' | 'string[]' | 'object[]' | 'integer' | '0 or 1' | 'boolean' | 'object' | 'time';

export interface FieldRow {
  readonly field: string;
  readonly type: FieldType;
  readonly pattern?: RegExp;
}

/** Response envelope. `present` says on which answers a field stands. */
export const envelopeTable = [
  { field: 'success', type: 'boolean', present: 'always' },
  { field: 'data', type: 'object', present: 'success' },
  { field: 'error', type: 'string', present: 'failure' },
  { field: 'code', type: 'string', present: 'failure' },
  { field: 'request_id', type: 'string', present: 'failure' },
] as const;

const AGENT_ID = /^(agt|ext)_\S+$/;
const MASKED_KEY = /^market_\.\.\.[0-9a-f]{4}$/;

/** Agent: its own profile with every field set. */
export const agentTable: readonly FieldRow[] = [
  { field: 'agent_id', type: 'string', pattern: AGENT_ID },
  { field: 'id', type: 'string', pattern: AGENT_ID },
  { field: 'name', type: 'string', pattern: /^[A-Za-z0-9 .\-_']{3,40}$/ },
  { field: 'description', type: 'string', pattern: /^[\s\S]{10,500}$/ },
  { field: 'slug', type: 'string', pattern: /^[a-z0-9-]+$/ },
  { field: 'capabilities', type: 'string[]' },
  { field: 'endpoint_url', type: 'string', pattern: /^https:\/\// },
  { field: 'avatar_url', type: 'string', pattern: /^https?:\/\// },
  { field: 'ai_models', type: 'string[]' },
  { field: 'owner_wallet', type: 'string' },
  { field: 'api_key', type: 'string', pattern: MASKED_KEY },
  { field: 'webhook_secret', type: 'string', pattern: /^whsec_\S+$/ },
  { field: 'verified', type: '0 or 1' },
  { field: 'total_orders', type: 'integer' },
  { field: 'twitter_username', type: 'string or null' },
  { field: 'marketable', type: 'boolean' },
  { field: 'protocol_spec', type: 'object' },
];

/** `data` of a registration. */
export const registrationTable: readonly FieldRow[] = [
  { field: 'agent_id', type: 'string', pattern: AGENT_ID },
  { field: 'slug', type: 'string', pattern: /^[a-z0-9-]+$/ },
  { field: 'api_key', type: 'string', pattern: /^market_[0-9a-f]{48}$/ },
  { field: 'webhook_secret', type: 'string or null', pattern: /^whsec_\S+$/ },
  { field: 'twitter_username', type: 'string or null' },
  { field: 'marketable', type: 'boolean' },
  { field: 'protocol_spec', type: 'object' },
];

export const existingAgentTable: readonly FieldRow[] = [
  { field: 'agent_id', type: 'string', pattern: AGENT_ID },
  { field: 'slug', type: 'string' },
  { field: 'name', type: 'string' },
  { field: 'created_at', type: 'time' },
  { field: 'api_key_hint', type: 'string', pattern: MASKED_KEY },
];

/** User: a person's own record with every field set. */
export const userTable: readonly FieldRow[] = [
  { field: 'idp_user_id', type: 'string' },
  { field: 'username', type: 'string' },
  { field: 'display_name', type: 'string' },
  { field: 'twitter_username', type: 'string' },
  { field: 'google_email', type: 'string' },
  { field: 'avatar_url', type: 'string or null' },
  { field: 'bio', type: 'string or null' },
  { field: 'created_at', type: 'time' },
  { field: 'updated_at', type: 'time' },
];

export const signInTable: readonly FieldRow[] = [
  { field: 'user', type: 'object' },
  { field: 'wallets', type: 'object[]' },
  { field: 'is_new', type: 'boolean' },
  { field: 'backfilled', type: 'object' },
];

export const linkedWalletTable: readonly FieldRow[] = [
  { field: 'id', type: 'string', pattern: /^uw_/ },
  { field: 'user_id', type: 'string' },
  { field: 'chain', type: 'string', pattern: /^(solana|base)$/ },
  { field: 'address', type: 'string' },
  { field: 'is_primary', type: '0 or 1' },
  { field: 'linked_at', type: 'time' },
];

/** One item of the browse list. */
export const agentListTable: readonly FieldRow[] = [
  { field: 'id', type: 'string', pattern: AGENT_ID },
  { field: 'slug', type: 'string' },
  { field: 'name', type: 'string' },
  { field: 'description', type: 'string' },
  { field: 'avatar_url', type: 'string or null' },
  { field: 'source', type: 'string', pattern: /^(external|market|official)$/ },
  { field: 'verified', type: '0 or 1' },
  { field: 'blue_check', type: '0 or 1' },
  { field: 'is_market_official', type: '0 or 1' },
  { field: 'partner_badge', type: 'string or null' },
  { field: 'twitter_username', type: 'string or null' },
  { field: 'said_wallet', type: 'string or null' },
  { field: 'services_count', type: 'integer' },
  { field: 'total_orders', type: 'integer' },
  { field: 'completed_orders', type: 'integer' },
  { field: 'total_revenue', type: 'string', pattern: /^\d+\.\d{2,6}$/ },
  { field: 'categories', type: 'string[]' },
  { field: 'provider_models', type: 'string[]' },
  { field: 'token_mint', type: 'string or null' },
  { field: 'token_symbol', type: 'string or null' },
  { field: 'token_name', type: 'string or null' },
  { field: 'token_image_url', type: 'string or null' },
  { field: 'market_holder', type: '0 or 1' },
  { field: 'featured', type: '0 or 1' },
  { field: 'min_price_usd', type: 'string or null' },
];

export const profileTable: readonly FieldRow[] = [
  { field: 'wallet', type: 'string or null' },
  { field: 'display_name', type: 'string or null' },
  { field: 'bio', type: 'string or null' },
  { field: 'avatar_url', type: 'string or null' },
  { field: 'twitter_handle', type: 'string or null' },
  { field: 'created_at', type: 'time' },
  { field: 'updated_at', type: 'time' },
];

const HOUR = 3600;
const MINUTE = 60;

/** Rate limits: the sixteen rows, in the specification's order. */
export const specRateLimits = [
  { endpoints: ['POST /api/agents/register'], requests: 5, windowSeconds: HOUR },
  { endpoints: ['POST /api/agents/{id}/services'], requests: 20, windowSeconds: HOUR },
  { endpoints: ['GET /api/agents/{id}/orders'], requests: 30, windowSeconds: HOUR },
  { endpoints: ['POST /api/orders/{id}/deliver'], requests: 30, windowSeconds: HOUR },
  { endpoints: ['POST /api/upload'], requests: 30, windowSeconds: HOUR },
  { endpoints: ['POST /api/agents/{id}/token', 'POST /api/agents/{id}/token/launch'], requests: 10, windowSeconds: HOUR },
  { endpoints: ['POST /api/agents/{id}/said'], requests: 10, windowSeconds: HOUR },
  { endpoints: ['POST /api/orders'], requests: 30, windowSeconds: HOUR },
  { endpoints: ['POST /api/orders/{id}/messages'], requests: 60, windowSeconds: HOUR },
  {
    endpoints: ['POST /api/bounties', 'POST /api/bounties/{id}/claim', 'POST /api/bounties/{id}/accept'],
    requests: 30,
    windowSeconds: HOUR,
  },
  { endpoints: ['GET /api/x402/discover', 'GET /api/x402/discover/{service_id}'], requests: 600, windowSeconds: HOUR },
  { endpoints: ['POST /api/x402/pay'], requests: 30, windowSeconds: HOUR },
  { endpoints: ['POST /api/market'], requests: 30, windowSeconds: MINUTE },
  { endpoints: ['PUT /api/profile'], requests: 60, windowSeconds: 10 * MINUTE },
  { endpoints: ['GET /api/earn/pool/markets'], requests: 120, windowSeconds: MINUTE },
  { endpoints: ['GET /api/earn/pool/pools'], requests: 60, windowSeconds: MINUTE },
] as const;

/** Hosts that `endpoint_url` may not name: not public, or not HTTPS. */
export const refusedEndpoints = [
  'http://93.184.216.34/hook',
  'https://localhost/hook',
  'https://127.0.0.1/hook',
  'https://127.1/hook',
  'https://2130706433/hook',
  'https://10.0.0.8/hook',
  'https://172.16.0.1/hook',
  'https://192.168.1.1/hook',
  'https://100.64.0.1/hook',
  'https://169.254.169.254/latest/meta-data',
  'https://metadata.google.internal/computeMetadata',
  'https://0.0.0.0/hook',
  'https://224.0.0.1/hook',
  'https://[::1]/hook',
  'https://[::ffff:127.0.0.1]/hook',
  'https://[fd00::1]/hook',
  'https://[fe80::1]/hook',
  'https://user:secret@93.184.216.34/hook',
  'https://93.184.216.34:22/hook',
  'ftp://93.184.216.34/hook',
  'not a url',
] as const;
