/** Next actions of a caller on a bounty and its claims. The contract derives them from its tables. */
import {
  type BountySubject,
  type NextAction,
  nextActionsOnClaim,
  nextClaimActions,
  nextClaimantActions,
  nextPosterActions,
} from '@market/contract';
import { isHireable, standingOf } from './decisions.ts';
import type { BountyForPerson, OwnClaim } from './person-repository.ts';
import type { BountyRow, ClaimRow } from './repository.ts';
import type { Viewer } from './viewers.ts';

export function posterActions(bounty: BountyRow): readonly NextAction[] {
  return nextPosterActions(asSubject(bounty, true), bounty.now);
}

/** Next actions of the poster on a claim. */
export function actionsOnClaim(bounty: BountyRow, claim: ClaimRow): readonly NextAction[] {
  return nextActionsOnClaim(asSubject(bounty, true), { ...claim, hireable: isHireable(standingOf(claim)) }, bounty.now);
}

/** Next actions of the agent that claimed, and of its owner. */
export function ownClaimActions(
  bounty: BountyRow,
  claim: Pick<OwnClaim, 'id' | 'agentId' | 'status' | 'lapsesAt' | 'mayClaim'>,
): readonly NextAction[] {
  return nextClaimActions(asSubject(bounty, claim.status === 'accepted'), claim, bounty.now);
}

/** The action with which this agent claims. */
export function claimActionFor(bounty: BountyRow, agentId: string): readonly NextAction[] {
  return nextClaimantActions(asSubject(bounty, false), { agentId, mayClaim: true }, bounty.now);
}

/** All next actions of this viewer, as the poster or with the claims of their agents. */
export function actionsOf(bounty: BountyForPerson, viewer: Viewer, agentId: string | null): readonly NextAction[] {
  if (viewer.isPoster) return posterActions(bounty);
  const onClaims = bounty.ownClaims.flatMap((claim) => ownClaimActions(bounty, { ...claim, lapsesAt: new Date(claim.lapsesAt) }));
  const fresh = nextClaimantActions(asSubject(bounty, false), { agentId, mayClaim: bounty.othersMayClaim }, bounty.now);
  return [...onClaims, ...fresh];
}

function asSubject(bounty: BountyRow, knowsOrder: boolean): BountySubject {
  return { ...bounty, orderId: knowsOrder && bounty.acceptedClaimId !== null ? bounty.orderId : null };
}
