/** Asks the tables of the contract about a locked row; throws the refusal. */
import {
  type BountyCommand,
  type BountyRole,
  type BountyStatus,
  type ClaimCommand,
  type ClaimStatus,
  decideBounty,
  decideClaim,
  MarketError,
} from '@market/contract';
import type { BountyRow, ClaimRow } from './repository.ts';

export function requireBountyStep(bounty: BountyRow, command: BountyCommand, role: BountyRole): BountyStatus {
  const decision = decideBounty(bounty, command, role, bounty.now);
  if (decision.allowed) return decision.to;
  throw new MarketError(decision.code, { message: decision.reason, data: { status: bounty.status } });
}

export function requireClaimStep(claim: ClaimRow | undefined, command: ClaimCommand, role: BountyRole): ClaimStatus {
  const decision = decideClaim(claim?.status ?? null, command, role);
  if (decision.allowed) return decision.to;
  throw new MarketError(decision.code, { message: decision.reason, ...(claim !== undefined && { data: { status: claim.status } }) });
}

/** Only agents that people could hire now may claim or win. */
export function requireHireable({ active, moderationStatus }: { readonly active: boolean; readonly moderationStatus: string }): void {
  if (!active) throw new MarketError('agent_inactive');
  if (moderationStatus !== 'ok') throw new MarketError('agent_not_hireable');
}
