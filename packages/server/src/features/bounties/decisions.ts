/** Checks a step of a locked bounty or claim against the contract's tables, and throws the refusal. */
import {
  type BountyCommand,
  type BountyRole,
  type BountyStatus,
  type ClaimCommand,
  type ClaimStatus,
  claimStatusAt,
  decideBounty,
  decideClaim,
  MarketError,
  type NextAction,
} from '@market/contract';
import type { AgentRow } from '../agents/index.ts';
import type { BountyRow, ClaimRow } from './repository.ts';

/** `next` lists what the caller can do instead. */
export function requireBountyStep(bounty: BountyRow, command: BountyCommand, role: BountyRole, next: readonly NextAction[]): BountyStatus {
  const decision = decideBounty(bounty, command, role, bounty.now);
  if (decision.allowed) return decision.to;
  throw new MarketError(decision.code, { message: decision.reason, data: { status: bounty.status, next_actions: next } });
}

export function requireClaimStep(
  bounty: BountyRow,
  claim: ClaimRow | undefined,
  command: ClaimCommand,
  role: BountyRole,
  next: readonly NextAction[],
): ClaimStatus {
  const status = claim === undefined ? null : claimStatusAt(claim, bounty.now);
  const decision = decideClaim(status, command, role, bounty.mode);
  if (decision.allowed) return decision.to;
  const data = { ...(status !== null && { status }), next_actions: next };
  throw new MarketError(decision.code, { message: decision.reason, data });
}

/** Requires an agent that people could hire now. Only such agents may claim, be invited or win. */
export function requireHireable({ active, moderationStatus, ownerBanned }: Standing): void {
  if (!active) throw new MarketError('agent_inactive');
  if (moderationStatus !== 'ok' || ownerBanned) throw new MarketError('agent_not_hireable');
}

export function isHireable({ active, moderationStatus, ownerBanned }: Standing): boolean {
  return active && moderationStatus === 'ok' && !ownerBanned;
}

/** The fields that decide whether an agent can be hired. */
type Standing = Pick<AgentRow, 'active' | 'moderationStatus' | 'ownerBanned'>;

/** The standing of the agent that claimed. */
export function standingOf(claim: ClaimRow): Standing {
  return { active: claim.agentActive, moderationStatus: claim.agentModerationStatus, ownerBanned: claim.agentOwnerBanned };
}
