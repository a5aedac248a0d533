/** Agent rows → wire records for a viewer. Keys are masked here; no other file of the feature puts a key on the wire. */
import {
  describeMachinePayout,
  formatUsd,
  type OperationAnswer,
  type Operations,
  payoutNetworks,
  protocolSpec,
  toFlag,
  toWireTime,
} from '@market/contract';
import type { Caller } from '../../access/caller.ts';
import type { SecretBox } from '../../platform/secrets/secret-box.ts';
import { presentReputation, presentScore } from '../reputation/index.ts';
import { payoutDestination } from '../wallet-keys/index.ts';
import type { ShownOfAgent } from './agents-context.ts';
import { presentPending } from './pending-payout.ts';
import type { AgentRow, AgentWithFigures, Leading } from './repository.ts';

type Answers = { [M in keyof Operations['agents']]: OperationAnswer<Operations['agents'][M]>['data'] };
type AgentSummary = Answers['list'][number];
type Category = AgentSummary['capabilities'][number];

export function apiKeyContext(agentId: string): string {
  return `agents/${agentId}/api_key`;
}

export function webhookSecretContext(agentId: string): string {
  return `agents/${agentId}/webhook_secret`;
}

export function maskedKey(last4: string): string {
  return `market_...${last4}`;
}

function presentFace(agent: AgentRow) {
  return {
    id: agent.id,
    agent_id: agent.id,
    slug: agent.slug,
    name: agent.name,
    description: agent.description,
    avatar_url: agent.avatarUrl,
  };
}

/** The owner's X handle, or null if the owner does not show it to others. */
export function shownHandle({ twitterUsername, twitterShown }: Pick<AgentRow, 'twitterUsername' | 'twitterShown'>): string | null {
  return twitterShown ? twitterUsername : null;
}

export function presentSummary(agent: AgentWithFigures): AgentSummary {
  return {
    ...presentFace(agent),
    source: agent.source,
    verified: toFlag(agent.verified),
    blue_check: toFlag(agent.blueCheck),
    is_market_official: toFlag(agent.source === 'official'),
    partner_badge: agent.partnerBadge,
    twitter_username: shownHandle(agent),
    said_wallet: agent.saidWallet,
    capabilities: agent.capabilities as Category[],
    ai_models: agent.aiModels,
    services_count: agent.servicesCount,
    avg_rating: averageRating(agent),
    total_orders: agent.totalOrders,
    completed_orders: agent.completedOrders,
    ...presentPunctuality(agent),
    reputation_score: presentScore(agent),
    total_revenue: formatUsd(agent.revenueMicros),
    categories: agent.serviceCategories as Category[],
    provider_models: agent.providerModels,
    token_mint: agent.tokenMint,
    token_symbol: agent.tokenSymbol,
    token_name: agent.tokenName,
    token_image_url: agent.tokenImageUrl,
    market_holder: toFlag(agent.marketHolder),
    featured: toFlag(agent.featured),
    min_price_usd: agent.minPriceMicros === null ? null : formatUsd(agent.minPriceMicros),
    presence: presentPresence(agent),
    created_at: toWireTime(agent.createdAt),
  };
}

type AgentAddresses = Record<'solana' | 'evm', string>;

/** `showsSecret` must come from `mayReadSecret`. */
export function presentOwn(agent: AgentWithFigures, wallets: AgentAddresses, secrets: SecretBox, showsSecret: boolean): Answers['me'] {
  const sealed = showsSecret ? agent.webhookSecretSealed : null;
  return {
    ...presentKept(agent, wallets),
    webhook_secret: sealed === null ? null : secrets.open(sealed, webhookSecretContext(agent.id)),
    protocol_spec: { required_endpoints: [...protocolSpec.required_endpoints] },
  };
}

/** Answer for a wallet that watches the owner account and cancelled a change. */
export function presentWatched({ id, name }: Pick<AgentRow, 'id' | 'name'>): Answers['cancelPayoutChange'] {
  return { id, agent_id: id, name, pending_payout: null };
}

export function presentLeading(
  agent: AgentWithFigures,
  { weeklyOrders, weeklyMicros, weekStart }: Leading,
): Answers['leaderboard'][number] {
  return {
    ...presentSummary(agent),
    weekly_completed_orders: weeklyOrders,
    weekly_revenue: formatUsd(weeklyMicros),
    week_start: toWireTime(weekStart),
  };
}

export function presentOwned(agent: AgentWithFigures, wallets: AgentAddresses): Answers['mine'][number] {
  return { ...presentKept(agent, wallets), presence: presentPresence(agent), payout_chain_chosen: agent.payoutChain !== null };
}

/** The record for owner and agent, without the secret. */
function presentKept(agent: AgentWithFigures, wallets: AgentAddresses): Omit<Answers['me'], 'webhook_secret' | 'protocol_spec'> {
  return {
    ...presentFace(agent),
    endpoint_url: agent.endpointUrl,
    capabilities: agent.capabilities as Category[],
    ai_models: agent.aiModels,
    api_key: maskedKey(agent.apiKeyLast4),
    verified: toFlag(agent.verified),
    active: toFlag(agent.active),
    source: agent.source,
    marketable: agent.marketable,
    twitter_username: agent.twitterUsername,
    total_orders: agent.totalOrders,
    completed_orders: agent.completedOrders,
    ...presentPunctuality(agent),
    avg_rating: averageRating(agent),
    owner_wallet: agent.ownerWallet,
    idp_user_id: agent.ownerUserId,
    payout_wallet: agent.payoutWallet,
    // Clients know no unset value. An agent that never chose a chain is still paid on the payment's network.
    payout_chain: agent.payoutChain ?? 'solana',
    payout_address_base: agent.payoutAddressBase,
    solana_payout_configured: agent.payoutWallet !== null || isSolanaAddress(agent.ownerWallet),
    base_payout_configured: agent.payoutAddressBase !== null || isEvmAddress(agent.ownerWallet),
    wallets: { solana: wallets.solana, base: wallets.evm },
    payout_destinations: {
      solana: payoutDestination(agent, wallets, payoutNetworks.solana),
      base: payoutDestination(agent, wallets, payoutNetworks.base),
    },
    pending_payout: presentPending(agent),
    machine_payout: describeMachinePayout(agent.payoutHeldSince !== null),
    moderation: { status: agent.moderationStatus, reason: agent.moderationReason },
    created_at: toWireTime(agent.createdAt),
    updated_at: toWireTime(agent.updatedAt),
  };
}

export function presentProfile(agent: AgentWithFigures, viewerIsOwner: boolean, shown: ShownOfAgent): Answers['get'] {
  return {
    agent: {
      ...presentFace(agent),
      source: agent.source,
      verified: toFlag(agent.verified),
      blue_check: toFlag(agent.blueCheck),
      is_market_official: toFlag(agent.source === 'official'),
      market_holder: toFlag(agent.marketHolder),
      partner_badge: agent.partnerBadge,
      twitter_username: viewerIsOwner ? agent.twitterUsername : shownHandle(agent),
      has_endpoint: agent.endpointUrl !== null,
      marketable: agent.marketable,
      capabilities: agent.capabilities as Category[],
      ai_models: agent.aiModels,
      owner_wallet: agent.ownerWallet,
      said_wallet: agent.saidWallet,
      is_owner: viewerIsOwner,
      total_orders: agent.totalOrders,
      machine_payout: describeMachinePayout(agent.payoutHeldSince !== null),
      presence: presentPresence(agent),
      token: presentTokenOf(agent),
      ...(viewerIsOwner && { moderation: { status: agent.moderationStatus, reason: agent.moderationReason } }),
      created_at: toWireTime(agent.createdAt),
    },
    services: shown.services,
    portfolio: shown.portfolio,
    stats: {
      total_orders: agent.totalOrders,
      completed_orders: agent.completedOrders,
      ...presentPunctuality(agent),
      reputation: presentReputation(agent),
      avg_rating: averageRating(agent),
      followers: 0,
      services_count: agent.servicesCount,
    },
    reviews: shown.reviews,
    recentOrders: shown.recentOrders,
    paging: shown.paging,
  };
}

/** A database constraint sets all token columns together, so checking some is enough. */
function presentTokenOf(agent: AgentRow): Answers['get']['agent']['token'] {
  const { tokenMint, tokenName, tokenSymbol, tokenMode, tokenCreatorWallet, tokenCreatedAt } = agent;
  if (tokenMint === null || tokenName === null || tokenSymbol === null) return null;
  if (tokenMode === null || tokenCreatorWallet === null || tokenCreatedAt === null) return null;
  return {
    mint: tokenMint,
    name: tokenName,
    symbol: tokenSymbol,
    image_url: agent.tokenImageUrl,
    named_by: agent.tokenNamedBy ?? 'owner',
    mode: tokenMode,
    creator_wallet: tokenCreatorWallet,
    tx_hash: agent.tokenTxHash,
    created_at: toWireTime(tokenCreatedAt),
    launch_attempted: agent.tokenLaunchAttemptedAt !== null,
  };
}

export function presentRegistered(agent: AgentRow, secrets: { apiKey: string; webhookSecret: string | null }): Answers['register'] {
  return {
    agent_id: agent.id,
    id: agent.id,
    slug: agent.slug,
    api_key: secrets.apiKey,
    webhook_secret: secrets.webhookSecret,
    twitter_username: agent.twitterUsername,
    marketable: agent.marketable,
    ...(!agent.marketable && {
      note: 'This agent has no owner yet and appears nowhere. Attach one: PATCH /api/agents/me with owner_wallet and its signature, or POST /api/agents/link with a sign-in token.',
    }),
    protocol_spec: { required_endpoints: [...protocolSpec.required_endpoints] },
  };
}

const KEY_KEPT_BACK = 'A connected program gets no API key and no webhook secret. The owner gets the key with POST /api/agents/recover.';

/** A registration as its caller may see it. A connected program gets no secrets, as in `presentOwn`. */
export function withoutSecretsFor({ connection }: Pick<Caller, 'connection'>, registered: Answers['register']): Answers['register'] {
  return connection === undefined ? registered : withoutSecrets(registered);
}

export function withoutSecrets(registered: Answers['register']): Answers['register'] {
  return { ...registered, api_key: null, webhook_secret: null, note: KEY_KEPT_BACK };
}

/** `newKey`: the key that replaced a provisional one. */
export function presentRecovered(agent: AgentRow, secrets: SecretBox, newKey: string | undefined): Answers['recover']['agents'][number] {
  return {
    agent_id: agent.id,
    id: agent.id,
    slug: agent.slug,
    name: agent.name,
    description: agent.description,
    api_key: newKey ?? secrets.open(agent.apiKeySealed, apiKeyContext(agent.id)),
    replaced: newKey !== undefined,
    twitter_username: agent.twitterUsername,
    verified: toFlag(agent.verified),
    created_at: toWireTime(agent.createdAt),
  };
}

export function presentPresence({
  seenAt,
  seenLately,
  endpointFails,
}: Pick<AgentWithFigures, 'seenAt' | 'seenLately' | 'endpointFails'>): AgentSummary['presence'] {
  return {
    state: !seenLately ? 'quiet' : endpointFails ? 'failing' : 'alive',
    seen_at: seenAt === null ? null : toWireTime(seenAt),
  };
}

function presentPunctuality({ completedOrders, overdueOrders, lateOrders }: AgentWithFigures) {
  const onTime = completedOrders - lateOrders;
  const judged = onTime + overdueOrders;
  return { overdue_orders: overdueOrders, on_time_rate: judged === 0 ? null : Math.round((onTime / judged) * 1000) / 1000 };
}

function averageRating(agent: AgentWithFigures): number | null {
  return agent.ratingCount === 0 ? null : Math.round((agent.ratingSum / agent.ratingCount) * 100) / 100;
}

function isSolanaAddress(address: string | null): boolean {
  return address !== null && !address.startsWith('0x');
}

export function isEvmAddress(address: string | null): boolean {
  return address?.startsWith('0x') === true;
}
