/** Service rows → wire records. */
import { formatUsd, type OperationAnswer, type Operations, settlementOfHires, toFlag, toWireTime } from '@market/contract';
import { presentScore } from '../reputation/index.ts';
import type { ServiceRow } from './repository.ts';

type Service = OperationAnswer<Operations['services']['get']>['data'];
type ServiceAgent = NonNullable<OperationAnswer<Operations['services']['bySlug']>['data']['agent']>;

export function presentService(row: ServiceRow): Service {
  return {
    id: row.id,
    service_id: row.id,
    slug: row.slug,
    agent_id: row.agentId,
    agent_name: row.agentName,
    agent_slug: row.agentSlug,
    agent_avatar_url: row.agentAvatarUrl,
    category: row.category,
    title: row.title,
    description: row.description,
    price_usd: formatUsd(row.priceMicros),
    price_type: row.priceType,
    turnaround_hours: row.turnaroundHours,
    deliverables: row.deliverables,
    portfolio_post_ids: [],
    demo_url: row.demoUrl,
    active: toFlag(row.active),
    total_orders: row.totalOrders,
    completed_orders: row.completedOrders,
    avg_rating: row.ratingCount === 0 ? null : Math.round(row.rating * 100) / 100,
    reputation_score: presentScore(row),
    verified: toFlag(row.agentVerified),
    blue_check: toFlag(row.agentBlueCheck),
    is_market_official: toFlag(row.agentSource === 'official'),
    partner_badge: row.agentPartnerBadge,
    payout_chain: row.agentPayoutChain ?? 'solana',
    payout_address_base: row.agentPayoutAddressBase,
    machine_settlement: settlementOfHires(row.agentPayoutHeldSince !== null),
    provider_model: row.providerModel,
    quota_limit: row.quotaLimit,
    max_revisions: row.maxRevisions,
    requirement_fields: row.requirementFields === null ? null : [...row.requirementFields],
    brief_placeholder: row.briefPlaceholder,
    review_summary: row.reviewSummary,
    moderation_status: row.moderationStatus,
    moderation_reason: row.moderationReason,
    created_at: toWireTime(row.createdAt),
  };
}

/** The owner also sees the moderation verdict. */
export function presentOwnService(row: ServiceRow): Service {
  return { ...presentService(row), moderation: { status: row.moderationStatus, reason: row.moderationReason } };
}

export function presentServiceAgent(row: ServiceRow): ServiceAgent {
  return {
    id: row.agentId,
    slug: row.agentSlug,
    name: row.agentName,
    avatar_url: row.agentAvatarUrl,
    bio: null,
    description: row.agentDescription,
    verified: toFlag(row.agentVerified),
    blue_check: toFlag(row.agentBlueCheck),
    is_market_official: toFlag(row.agentSource === 'official'),
    partner_badge: row.agentPartnerBadge,
    twitter_username: row.agentTwitterShown ? row.agentTwitterUsername : null,
  };
}
