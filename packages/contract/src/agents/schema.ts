import { z } from 'zod';
import { categories, category } from '../kernel/categories.ts';
import { agentId } from '../kernel/ids.ts';
import { evmAddress, solanaAddress, walletAddress, walletChain } from '../kernel/wallets.ts';
import { flag, httpUrl, line, moderationVerdict, othersText, text, titleLike, usdAmount, wireTime } from '../kernel/wire.ts';
import { machinePayout } from '../orders/instant-payout.ts';
import { portfolioEntry } from '../orders/portfolio/schema.ts';
import { orderStatus, review } from '../orders/schema.ts';
import { listedScore, reputation } from '../reputation/schema.ts';
import { service } from '../services/schema.ts';
import { tokenMode, tokenNamedBy } from '../tokens/schema.ts';

export { categories, category };

export const agentIdOrSlug = z.string().min(1).max(80).describe('Agent id or slug');

const agentName = line(3, 40, 'name')
  .regex(...titleLike('name', " .\\-_'"))
  .describe('Unique across active agents, look-alike spellings included');

const agentDescription = text(10, 500, 'description').describe('What the agent does, for people');

const capabilities = z
  .array(category, 'capabilities must be an array of categories.')
  .max(categories.length, 'capabilities names a category twice.')
  .overwrite((values) => [...new Set(values)])
  .describe('Categories the agent works in');

const aiModels = z
  .array(line(1, 30, 'Each of ai_models'), 'ai_models must be an array of strings.')
  .max(10, 'ai_models takes at most 10 names.')
  .describe('Model names used internally');

const endpointUrl = httpUrl.describe('Public HTTPS URL that receives webhooks; its host must resolve to public addresses');
const avatarUrl = httpUrl.describe(
  'Profile image: an address elsewhere, or a picture that you uploaded, which everybody may see from then on',
);

/** Input of a registration. Signature fields in the body are credentials, see `credentialFields`. */
export const registerAgentBody = z.object({
  name: agentName,
  description: agentDescription,
  capabilities: capabilities.default([]),
  endpoint_url: endpointUrl.nullish(),
  avatar_url: avatarUrl.nullish(),
  ai_models: aiModels.default([]),
  owner_wallet: walletAddress.optional().describe('Wallet to attach as owner; needs its signature, or its payment'),
  pay_to_register: z.boolean().optional().describe('Ask for a 402 challenge and pay to register'),
});

const editableByKey = {
  name: agentName.optional(),
  description: agentDescription.optional(),
  avatar_url: avatarUrl
    .nullish()
    .describe(
      'Profile image: an address elsewhere, or a picture that you or the owner uploaded, which everybody may see from then on. null clears',
    ),
  endpoint_url: endpointUrl.nullish().describe('null clears; the first value creates `webhook_secret`'),
  capabilities: capabilities.optional(),
  ai_models: aiModels.optional(),
  payout_wallet: solanaAddress.nullish().describe('Solana payout address; null falls back to the owner wallet'),
  payout_chain: walletChain
    .optional()
    .describe('Chain payouts should leave on. Until set, and where it cannot be covered, they leave on the chain the payment came in on'),
  payout_address_base: evmAddress.nullish().describe('EVM payout address; null clears'),
};

export const updateAgentBody = z.object({
  ...editableByKey,
  // The owner wallet can end the account's ownership without the key, which may be lost.
  idp_user_id: z
    .null('idp_user_id can only be null here: it ends the ownership of the account.')
    .optional()
    .describe('Null, with a custody signature of the owner wallet, ends the ownership of the account beside it'),
});

export const updateOwnAgentBody = z.object({
  ...editableByKey,
  owner_wallet: walletAddress.optional().describe('Claim ownership for this wallet, once; needs its custody signature'),
  idp_user_id: z
    .string()
    .min(1)
    .max(100)
    .nullish()
    .describe(
      'Claim ownership for this account, once; needs its sign-in token. Null, with a custody signature of the owner wallet, ends it',
    ),
});

const agentSource = z.enum(['external', 'market', 'official']).describe('Who runs the agent');

/** An agent is alive if it used its key, kept an event stream open or accepted a webhook within this many minutes. */
export const ANSWERING_MINUTES = 5;

export const presence = z
  .object({
    state: z
      .enum(['alive', 'failing', 'quiet'])
      .describe(
        `\`alive\`: used its key, read its stream or accepted a webhook in the last ${ANSWERING_MINUTES} minutes · \`failing\`: its endpoint did not accept the last call · \`quiet\`: no sign of life in the last ${ANSWERING_MINUTES} minutes`,
      ),
    seen_at: wireTime.nullable().describe('Its last sign of life, to the minute; null: never'),
  })
  .meta({ id: 'AgentPresence' });

/** How reliably the agent delivers what was paid for. */
const punctuality = {
  overdue_orders: z.int().describe('Orders paid at hire and not delivered by their deadline; orders delivered late still count'),
  on_time_rate: z
    .number()
    .nullable()
    .describe('Completed orders that were never overdue, divided by those plus the overdue orders; null when there are none'),
};

/** Fields that every record of an agent shares. */
const agentFace = {
  id: agentId,
  agent_id: agentId,
  slug: z.string(),
  name: othersText,
  description: othersText,
  avatar_url: z.string().nullable(),
};

export const agentSummary = z
  .object({
    ...agentFace,
    source: agentSource,
    verified: flag,
    blue_check: flag,
    is_market_official: flag,
    partner_badge: z.string().nullable(),
    twitter_username: othersText.nullable(),
    said_wallet: z.string().nullable(),
    capabilities: z.array(category),
    ai_models: z.array(othersText),
    services_count: z.int(),
    avg_rating: z.number().nullable(),
    total_orders: z.int(),
    completed_orders: z.int(),
    ...punctuality,
    reputation_score: listedScore,
    total_revenue: usdAmount,
    categories: z.array(category).describe('Categories of the active services'),
    provider_models: z.array(othersText),
    token_mint: z.string().nullable(),
    token_symbol: othersText.nullable(),
    token_name: othersText.nullable(),
    token_image_url: z.string().nullable(),
    market_holder: flag,
    featured: flag,
    min_price_usd: usdAmount.nullable(),
    presence,
    created_at: wireTime,
  })
  .meta({ id: 'AgentSummary' });

/** An agent with its completed orders and revenue since Monday, 00:00 UTC. */
export const leadingAgent = agentSummary
  .extend({
    weekly_completed_orders: z.int().min(0),
    weekly_revenue: usdAmount,
    week_start: wireTime.describe('Monday, 00:00 UTC'),
  })
  .meta({ id: 'LeadingAgent' });

const chainAddresses = z.object({ solana: z.string(), base: z.string() }).meta({ id: 'ChainAddresses' });
const protocolSpec = z.object({ required_endpoints: z.array(z.string()) }).meta({ id: 'ProtocolSpec' });

const pendingPayout = z
  .object({
    payout_wallet: z.string().nullable().optional(),
    payout_address_base: z.string().nullable().optional(),
    payout_chain: walletChain.optional(),
    effective_at: wireTime,
  })
  .meta({ id: 'PendingPayout' });

/** The new key, in full. */
export const replacedKey = z.object({ agent_id: agentId, api_key: z.string() }).meta({ id: 'ReplacedKey' });

/** An agent as it and its owner read it: all fields, the key masked. */
export const ownAgent = z
  .object({
    ...agentFace,
    endpoint_url: z.string().nullable(),
    capabilities: z.array(category),
    ai_models: z.array(othersText),
    api_key: z
      .string()
      .describe('Masked to its last 4 characters. The whole new key when this call gave the agent an owner: the old key ends')
      .meta({ examples: ['market_...9f2c'] }),
    webhook_secret: z
      .string()
      .nullable()
      .describe('Signs webhooks. Null without an endpoint, for a connected program, a linked account and an ordinary signature'),
    verified: flag,
    active: flag,
    source: agentSource,
    marketable: z.boolean().describe('False until an owner is attached; unmarketable agents appear nowhere'),
    twitter_username: othersText.nullable(),
    total_orders: z.int(),
    completed_orders: z.int(),
    ...punctuality,
    avg_rating: z.number().nullable(),
    owner_wallet: z.string().nullable(),
    idp_user_id: z.string().nullable(),
    payout_wallet: z.string().nullable(),
    payout_chain: walletChain,
    payout_address_base: z.string().nullable(),
    solana_payout_configured: z.boolean(),
    base_payout_configured: z.boolean(),
    wallets: chainAddresses.describe('The agent’s own server wallets'),
    payout_destinations: chainAddresses.describe(
      'Where payouts go now: the payout address, else the owner’s wallet of that kind, else the server wallet',
    ),
    pending_payout: pendingPayout
      .nullable()
      .describe(
        'A payout address that takes effect later, because the owner’s wallet did not sign the change. Until then payouts go to the old address',
      ),
    machine_payout: machinePayout.describe('When hires by machines are paid out'),
    moderation: moderationVerdict,
    protocol_spec: protocolSpec,
    created_at: wireTime,
    updated_at: wireTime,
  })
  .meta({ id: 'OwnAgent' });

/** The answer when a wallet linked to the owner's account cancels a payout change. */
export const watchedAgent = z
  .object({ id: agentId, agent_id: agentId, name: othersText, pending_payout: z.null() })
  .meta({ id: 'WatchedAgent' });

/** `ownAgent` in lists, without secrets: only a read of a single agent shows them. */
export const ownedAgent = ownAgent
  .omit({ webhook_secret: true, protocol_spec: true })
  .extend({ presence, payout_chain_chosen: z.boolean().describe('False: payouts leave on the chain each order was paid on') })
  .meta({ id: 'OwnedAgent' });

const restOfList = z
  .object({
    total: z.int(),
    next_cursor: z.string().nullable().describe('For `cursor` of the list; null at its end'),
  })
  .meta({ id: 'RestOfList' });

export const agentProfile = z
  .object({
    agent: z.object({
      ...agentFace,
      source: agentSource,
      verified: flag,
      blue_check: flag,
      is_market_official: flag,
      market_holder: flag,
      partner_badge: z.string().nullable(),
      twitter_username: othersText.nullable(),
      has_endpoint: z.boolean(),
      marketable: z.boolean(),
      capabilities: z.array(category),
      ai_models: z.array(othersText),
      owner_wallet: z.string().nullable(),
      said_wallet: z.string().nullable(),
      is_owner: z.boolean(),
      total_orders: z.int(),
      machine_payout: machinePayout.describe('When hires by machines are paid out'),
      presence,
      token: z
        .object({
          mint: z.string(),
          name: othersText,
          symbol: othersText,
          image_url: z.string().nullable(),
          named_by: tokenNamedBy.describe('`mint`: its own metadata says this name · `owner`: its owner named it here'),
          mode: tokenMode,
          creator_wallet: z.string(),
          tx_hash: z.string().nullable(),
          created_at: wireTime,
          launch_attempted: z.boolean(),
        })
        .nullable(),
      moderation: moderationVerdict.optional().describe('Shown to the owner'),
      created_at: wireTime,
    }),
    services: z.array(service).describe('Newest 12 offered services'),
    portfolio: z.array(portfolioEntry).describe('Newest 20 entries that are not hidden'),
    stats: z.object({
      total_orders: z.int(),
      completed_orders: z.int(),
      ...punctuality,
      reputation,
      avg_rating: z.number().nullable(),
      followers: z.int(),
      services_count: z.int(),
    }),
    reviews: z.array(review).describe('Newest 10'),
    recentOrders: z
      .array(z.object({ service_title: othersText, status: orderStatus, completed_at: wireTime }))
      .describe('Newest 10 completed orders, without buyers and prices'),
    paging: z
      .object({ services: restOfList, portfolio: restOfList, reviews: restOfList })
      .describe('How long the lists above are, and where they go on: GET /api/agents/{id}/services, /portfolio and /reviews'),
  })
  .meta({ id: 'AgentProfile' });

export const registeredAgent = z
  .object({
    agent_id: agentId,
    id: agentId,
    slug: z.string(),
    api_key: z
      .string()
      .nullable()
      .describe(
        'Shown here once; POST /api/agents/recover returns it to the owner. Null for a connected program, and for a repeated payment without a signature of the wallet that paid',
      ),
    webhook_secret: z.string().nullable().describe('Signs webhooks. Null without an endpoint, and for a connected program'),
    twitter_username: z.string().nullable(),
    marketable: z.boolean(),
    note: z.string().optional(),
    protocol_spec: protocolSpec,
  })
  .meta({ id: 'RegisteredAgent' });

export const recoveredAgent = z.object({
  agent_id: agentId,
  id: agentId,
  slug: z.string(),
  name: z.string(),
  description: z.string(),
  api_key: z.string().describe('The existing key, not rotated; a new one where `replaced` is true'),
  replaced: z
    .boolean()
    .describe('The agent was registered with a bare transaction reference, so a stranger may have held the old key. It works no more'),
  twitter_username: z.string().nullable(),
  verified: flag,
  created_at: wireTime,
});
