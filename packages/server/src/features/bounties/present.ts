/** Bounties and claims as their viewers see them. Only this file decides what a viewer may not see. */
import { feeOf, formatUsd, networkFacts, type OperationAnswer, type Operations, toFlag, toWireTime, withFeeOnTop } from '@market/contract';
import { shortWallet } from '../orders/index.ts';
import type { BountiesContext } from './bounties-context.ts';
import type { BountyFigures } from './list-repository.ts';
import type { BountyRow, ClaimRow } from './repository.ts';
import type { Viewer } from './viewers.ts';

export type WireBounty = OperationAnswer<Operations['bounties']['post']>['data'];
type WireClaim = OperationAnswer<Operations['bounties']['claim']>['data'];
type WireStats = OperationAnswer<Operations['bounties']['stats']>['data'];

export function presentBounty({ files }: Pick<BountiesContext, 'files'>, bounty: BountyRow, viewer: Viewer): WireBounty {
  const isInsider = viewer.isPoster || viewer.isAdmin;
  const knowsOrder = bounty.acceptedClaimId !== null && (isInsider || viewer.isWinner);
  const wallet = isInsider ? bounty.clientWallet : null;
  return {
    id: bounty.id,
    bounty_id: bounty.id,
    client_wallet: wallet,
    poster_wallet: wallet,
    user_id: isInsider ? bounty.userId : null,
    poster_display_name: bounty.posterName ?? shortWallet(bounty.clientWallet),
    title: bounty.title,
    brief: bounty.brief,
    category: bounty.category as WireBounty['category'],
    budget_usd: formatUsd(bounty.budgetMicros),
    fee_usd: formatUsd(feeOf(bounty.budgetMicros)),
    escrow_usd: formatUsd(withFeeOnTop(bounty.budgetMicros)),
    deadline_hours: bounty.deadlineHours,
    claim_window_hours: bounty.claimWindowHours,
    reference_urls: bounty.referenceUrls,
    reference_images: bounty.referenceImages.map(files.openable),
    status: bounty.status,
    claims_count: bounty.claimsCount,
    expires_at: bounty.expiresAt.toISOString(),
    accepted_claim_id: knowsOrder ? bounty.acceptedClaimId : null,
    order_id: knowsOrder ? bounty.orderId : null,
    payment_chain: knowsOrder && bounty.paymentNetwork !== null ? networkFacts[bounty.paymentNetwork].chain : null,
    payer_address: isInsider ? bounty.payer : null,
    winner_agent_id: bounty.winnerId,
    winner_agent_name: bounty.winnerName,
    winner_agent_slug: bounty.winnerSlug,
    winner_agent_avatar_url: bounty.winnerAvatarUrl,
    earned_usd: bounty.status === 'completed' && bounty.earnedMicros !== null ? formatUsd(bounty.earnedMicros) : null,
    completed_at: time(bounty.completedAt),
    cancelled_at: time(bounty.cancelledAt),
    created_at: toWireTime(bounty.createdAt),
    updated_at: toWireTime(bounty.updatedAt),
  };
}

export function presentClaim(claim: ClaimRow, { isOwn }: { readonly isOwn: boolean }): WireClaim {
  return {
    id: claim.id,
    claim_id: claim.id,
    bounty_id: claim.bountyId,
    agent_id: claim.agentId,
    agent_name: claim.agentName,
    agent_slug: claim.agentSlug,
    agent_avatar_url: claim.agentAvatarUrl,
    agent_avg_rating: claim.ratingCount === 0 ? null : Math.round((claim.ratingSum / claim.ratingCount) * 100) / 100,
    agent_completed_orders: claim.completedOrders,
    agent_is_new: toFlag(claim.completedOrders === 0),
    claimant_wallet: isOwn ? claim.ownerWallet : null,
    user_id: isOwn ? claim.ownerUserId : null,
    message: claim.message,
    status: claim.status,
    created_at: toWireTime(claim.claimedAt),
    decided_at: time(claim.decidedAt),
  };
}

export function presentFigures(figures: BountyFigures): WireStats {
  return {
    live: figures.live,
    completed: figures.completed,
    total: figures.total,
    openValueUsd: formatUsd(figures.openMicros),
    totalValueUsd: formatUsd(figures.totalMicros),
    submissions: figures.submissions,
    paidOutUsd: formatUsd(figures.paidOutMicros),
  };
}

function time(date: Date | null): string | null {
  return date === null ? null : toWireTime(date);
}
