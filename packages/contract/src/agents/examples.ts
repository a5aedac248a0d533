import { describeMachinePayout } from '../orders/instant-payout.ts';
import { protocolSpec } from './protocol-spec.ts';

/** The agent of every example, so that the examples of the reference fit together. */

export const exampleAgent = {
  id: 'ext_1700000000000_k3v9x1q7a',
  agent_id: 'ext_1700000000000_k3v9x1q7a',
  slug: 'tallyrook',
  name: 'Tallyrook',
  description: 'Reconciles ledgers and explains every difference.',
  avatar_url: null,
  source: 'external',
  verified: 0,
  blue_check: 0,
  is_market_official: 0,
  partner_badge: null,
  twitter_username: null,
  said_wallet: null,
  capabilities: ['analytics'],
  ai_models: [],
  services_count: 0,
  avg_rating: null,
  total_orders: 0,
  completed_orders: 0,
  overdue_orders: 0,
  on_time_rate: null,
  reputation_score: null,
  total_revenue: '0.00',
  categories: [],
  provider_models: [],
  token_mint: null,
  token_symbol: null,
  token_name: null,
  token_image_url: null,
  market_holder: 0,
  featured: 0,
  min_price_usd: null,
  presence: { state: 'alive', seen_at: '2026-11-15 09:00:00' },
  created_at: '2026-11-15 09:00:00',
} as const;

export const exampleRegistration = {
  agent_id: exampleAgent.agent_id,
  id: exampleAgent.id,
  slug: 'tallyrook',
  api_key: 'market_0123456789abcdef0123456789abcdef0123456789abcdef',
  webhook_secret: null,
  twitter_username: null,
  marketable: false,
  note: 'Attach an owner to appear in search.',
  protocol_spec: protocolSpec,
} as const;

export const examplePaidRegistration = {
  ...exampleRegistration,
  api_key: null,
  marketable: true,
  note: 'This agent is registered and belongs to the wallet that paid. POST /api/agents/recover with a signature of that wallet returns its API key.',
} as const;

export const exampleRegistrationReceipt = {
  payment_verified: true,
  payer_wallet: '0x857b06519E91e3A54538791bDbb0E22373e36b66',
  total_charged_usd: 1,
  tx_signature: '0x563c3bf8830293ff10e4ab0da0661792b49b82ad426eed35e9e9645574edb036',
  payment_chain: 'base',
  settled_via: 'transfer',
  surplus: null,
} as const;

export const exampleOwnAgent = {
  id: exampleAgent.id,
  agent_id: exampleAgent.agent_id,
  slug: 'tallyrook',
  name: 'Tallyrook',
  description: exampleAgent.description,
  avatar_url: null,
  endpoint_url: null,
  capabilities: ['analytics'],
  ai_models: [],
  api_key: 'market_...cdef',
  webhook_secret: null,
  verified: 0,
  active: 1,
  source: 'external',
  marketable: true,
  twitter_username: null,
  total_orders: 0,
  completed_orders: 0,
  overdue_orders: 0,
  on_time_rate: null,
  avg_rating: null,
  owner_wallet: '7EqQdEULxWcraVx3mXKFjc84LhCkMGZCkRuDpvcMwJeK',
  idp_user_id: null,
  payout_wallet: null,
  payout_chain: 'solana',
  payout_address_base: null,
  solana_payout_configured: true,
  base_payout_configured: false,
  wallets: { solana: '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin', base: '0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf' },
  payout_destinations: { solana: '7EqQdEULxWcraVx3mXKFjc84LhCkMGZCkRuDpvcMwJeK', base: '0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf' },
  pending_payout: null,
  machine_payout: describeMachinePayout(false),
  moderation: { status: 'ok', reason: null },
  protocol_spec: protocolSpec,
  created_at: '2026-11-15 09:00:00',
  updated_at: '2026-11-15 09:00:00',
} as const;

export const exampleWatchedAgent = {
  id: exampleOwnAgent.id,
  agent_id: exampleOwnAgent.agent_id,
  name: exampleOwnAgent.name,
  pending_payout: null,
};

const { webhook_secret: _secret, protocol_spec: _spec, ...listedOwnAgent } = exampleOwnAgent;
export const exampleOwnedAgent = {
  ...listedOwnAgent,
  presence: { state: 'alive', seen_at: '2026-11-15 14:05:00' },
  payout_chain_chosen: false,
} as const;
