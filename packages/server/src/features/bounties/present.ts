/** Bounties and claims as their viewers see them. Only this file decides what a viewer may not see. */
import {
  feeOf,
  formatUsd,
  type HeldClaim,
  type NextAction,
  networkFacts,
  type OperationAnswer,
  type Operations,
  openClaimStatuses,
  toFlag,
  toWireTime,
  winnerPaidBy,
  withFeeOnTop,
} from '@market/contract';
import { shortWallet } from '../orders/index.ts';
import { presentScore } from '../reputation/index.ts';
import type { BountiesContext } from './bounties-context.ts';
import type { BountyFigures } from './list-repository.ts';
import type { OwnClaim } from './person-repository.ts';
import type { BountyRow, ClaimRow } from './repository.ts';
import type { StakeColumns } from './stakes-repository.ts';
import type { Viewer } from './viewers.ts';

export type WireBounty = OperationAnswer<Operations['bounties']['list']>['data'][number];
type WireClaim = OperationAnswer<Operations['bounties']['claim']>['data'];
type WireOwnClaim = OperationAnswer<Operations['bounties']['my']>['data'][number]['my_claims'][number];
type WireStats = OperationAnswer<Operations['bounties']['stats']>['data'];

export function presentBounty({ files }: Pick<BountiesContext, 'files'>, bounty: BountyRow, viewer: Viewer): WireBounty {
  const isInsider = viewer.isPoster || viewer.isAdmin;
  const knowsOrder = bounty.acceptedClaimId !== null && (isInsider || viewer.isWinner);
  const wallet = isInsider ? bounty.clientWallet : null;
  const seesWinner = isInsider || viewer.isWinner || bounty.winnerListed === true;
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
    open_days: bounty.openDays,
    mode: bounty.mode,
    claim_stake_usd: formatUsd(bounty.claimStakeMicros),
    reference_urls: bounty.referenceUrls,
    reference_images: bounty.referenceImages.map(files.openable),
    status: bounty.status,
    claims_count: bounty.claimsCount,
    expires_at: bounty.expiresAt.toISOString(),
    decide_by: bounty.status === 'open' ? bounty.expiresAt.toISOString() : null,
    paid_by: paidBy(bounty),
    accepted_claim_id: knowsOrder ? bounty.acceptedClaimId : null,
    order_id: knowsOrder ? bounty.orderId : null,
    payment_chain: knowsOrder && bounty.paymentNetwork !== null ? networkFacts[bounty.paymentNetwork].chain : null,
    payer_address: isInsider ? bounty.payer : null,
    winner_agent_id: bounty.winnerId,
    winner_agent_name: seesWinner ? bounty.winnerName : null,
    winner_agent_slug: seesWinner ? bounty.winnerSlug : null,
    winner_agent_avatar_url: seesWinner ? bounty.winnerAvatarUrl : null,
    earned_usd: bounty.status === 'completed' && bounty.earnedMicros !== null ? formatUsd(bounty.earnedMicros) : null,
    completed_at: time(bounty.completedAt),
    cancelled_at: time(bounty.cancelledAt),
    created_at: toWireTime(bounty.createdAt),
    updated_at: toWireTime(bounty.updatedAt),
  };
}

/** Latest time at which the winner is paid. An open bounty may be accepted as late as its last moment. */
function paidBy({ status, acceptedAt, expiresAt, deadlineHours }: BountyRow): string | null {
  if (status === 'open') return winnerPaidBy(expiresAt, deadlineHours).toISOString();
  return status === 'claimed' && acceptedAt !== null ? winnerPaidBy(acceptedAt, deadlineHours).toISOString() : null;
}

export function presentClaim(claim: ClaimRow, { isOwn }: { readonly isOwn: boolean }, next: readonly NextAction[]): WireClaim {
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
    agent_reputation_score: presentScore(claim),
    agent_is_new: toFlag(claim.completedOrders === 0),
    claimant_wallet: isOwn ? claim.ownerWallet : null,
    user_id: isOwn ? claim.ownerUserId : null,
    message: claim.message,
    status: claim.status,
    created_at: toWireTime(claim.claimedAt),
    held_until: heldUntil(claim),
    invited_at: time(claim.invitedAt),
    decided_at: time(claim.decidedAt),
    stake: isOwn ? presentStake(claim) : null,
    next_actions: [...next],
  };
}

/** A claim in the list of the caller's own claims. */
export function presentOwnClaim(claim: OwnClaim, actions: readonly NextAction[]): WireOwnClaim {
  const { id, agentId, status, claimedAt } = claim;
  const stake = presentStake(claim);
  return {
    claim_id: id,
    agent_id: agentId,
    status,
    created_at: toWireTime(claimedAt),
    held_until: heldUntil(claim),
    stake,
    next_actions: [...actions],
  };
}

function heldUntil({ status, lapsesAt }: HeldClaim): string | null {
  return openClaimStatuses.includes(status) ? lapsesAt.toISOString() : null;
}

/** The stake of a claim; only the owner of the agent may see it. */
function presentStake(claim: StakeColumns): WireClaim['stake'] {
  const { stakeNetwork: network, stakeReference: reference, stakePayer: payer, stakeMicros: micros, stakeStatus: status } = claim;
  if (network === null || reference === null || payer === null || micros === null || status === null) return null;
  return {
    amount_usd: formatUsd(micros),
    status,
    chain: networkFacts[network].chain,
    payer,
    tx_hash: reference,
    decided_at: time(claim.stakeDecidedAt),
    return_tx_hash: claim.stakeReturn,
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
