/** Next actions of poster and claimants on a bounty and its claims, as the two lifecycle tables allow. */
import {
  type BountyCommand,
  type BountyFacts,
  type BountyRole,
  bountyClosesAt,
  type ClaimCommand,
  claimStatusAt,
  decideBounty,
  decideClaim,
  type HeldClaim,
} from '../bounties/lifecycle.ts';
import type { BountyMode } from '../bounties/statuses.ts';
import { formatUsd } from '../kernel/money.ts';
import type { NextAction } from '../kernel/next-action.ts';
import { type CallTemplate, readyCall } from './ready-call.ts';

const calls = {
  claim: { operation: 'bounties.claim', meaning: 'Offer to do the work.' },
  pitch: { operation: 'bounties.claim', meaning: 'Propose how you would do the work.', required: ['message'] },
  withdraw: { operation: 'bounties.withdraw', meaning: 'Withdraw the claim. The agent may claim again.' },
  invite: { operation: 'bounties.invite', meaning: 'Invite this proposal, so that you can accept it.' },
  accept: {
    operation: 'bounties.accept',
    meaning: 'Accept this claim: send 110% of the budget from your wallet, then name the transfer. The other claims are rejected.',
  },
  cancel: {
    operation: 'bounties.cancel',
    meaning: 'Take the bounty off the board. Nothing was paid; its claims are rejected.',
    args: { status: 'cancelled' },
  },
  read_claims: { operation: 'bounties.get', meaning: 'Compare the claims, then accept one.', args: { include_claims: '1' } },
  read_order: { operation: 'orders.get', meaning: 'Continue in the order of this bounty.' },
} as const satisfies Record<string, CallTemplate>;

export interface BountySubject extends BountyFacts {
  readonly id: string;
  readonly mode: BountyMode;
  readonly claimStakeMicros: bigint;
  /** Null before acceptance, or if the caller may not see it. */
  readonly orderId: string | null;
}

export interface ClaimSubject extends HeldClaim {
  readonly id: string;
  readonly agentId: string;
}

/** True: the agent is active and in good standing, so it may claim, and its claim may be accepted. */
interface Hireable {
  readonly hireable: boolean;
}

/** `mayClaim`: the agent is hireable, and its verified owner is below the limit of open claims. */
interface MayClaim {
  readonly mayClaim: boolean;
}

export function nextPosterActions(bounty: BountySubject, now: Date): NextAction[] {
  return [
    ...(isAllowed(bounty, 'accept', 'poster', now) && bounty.claimsCount > 0
      ? [readyCall('read_claims', calls.read_claims, { id: bounty.id }, null)]
      : []),
    ...(isAllowed(bounty, 'cancel', 'poster', now) ? [readyCall('cancel', calls.cancel, { id: bounty.id }, null)] : []),
    ...orderOf(bounty),
  ];
}

/** Next actions of the poster on one claim. */
export function nextActionsOnClaim(bounty: BountySubject, claim: ClaimSubject & Hireable, now: Date): NextAction[] {
  if (!claim.hireable) return [];
  return (['invite', 'accept'] as const)
    .filter((command) => isAllowed(bounty, command, 'poster', now) && isClaimStep(bounty, claim, command, 'poster', now))
    .map((command) => {
      const end = earlier(bountyClosesAt(bounty, command, 'poster'), claim.lapsesAt);
      return readyCall(command, calls[command], { id: bounty.id, claim_id: claim.id }, end);
    });
}

function earlier(one: Date | null, other: Date): Date {
  return one !== null && one.getTime() < other.getTime() ? one : other;
}

/** Next actions of a claiming agent or its owner. */
export function nextClaimActions(bounty: BountySubject, claim: ClaimSubject & MayClaim, now: Date): NextAction[] {
  const ids = { id: bounty.id, agent_id: claim.agentId };
  if (isClaimStep(bounty, claim, 'withdraw', 'claimant', now)) return [readyCall('withdraw', calls.withdraw, ids, null)];
  if (claim.mayClaim && isClaimStep(bounty, claim, 'claim', 'claimant', now) && isAllowed(bounty, 'claim', 'claimant', now))
    return [readyCall('claim', claimCall(bounty), ids, bountyClosesAt(bounty, 'claim', 'claimant'))];
  return claim.status === 'accepted' ? orderOf(bounty) : [];
}

/** Next actions for a caller whose agents have not claimed yet. Without `agentId`, the call asks for one. */
export function nextClaimantActions(bounty: BountySubject, agent: MayClaim & { readonly agentId: string | null }, now: Date): NextAction[] {
  if (!agent.mayClaim || !isAllowed(bounty, 'claim', 'claimant', now)) return [];
  const ids = { id: bounty.id, ...(agent.agentId !== null && { agent_id: agent.agentId }) };
  const template: CallTemplate = claimCall(bounty);
  const required = [...(template.required ?? []), ...(agent.agentId === null ? ['agent_id'] : [])];
  return [readyCall('claim', { ...template, required }, ids, bountyClosesAt(bounty, 'claim', 'claimant'))];
}

function orderOf({ orderId }: BountySubject): NextAction[] {
  return orderId === null ? [] : [readyCall('read_order', calls.read_order, { id: orderId }, null)];
}

function isAllowed(bounty: BountyFacts, command: BountyCommand, role: BountyRole, now: Date): boolean {
  return decideBounty(bounty, command, role, now).allowed;
}

function isClaimStep({ mode }: BountySubject, claim: ClaimSubject, command: ClaimCommand, role: BountyRole, now: Date): boolean {
  return decideClaim(claimStatusAt(claim, now), command, role, mode).allowed;
}

/** The call that claims: with a proposal if the bounty is pitch first, with a transfer if it takes a stake. */
function claimCall({ mode, claimStakeMicros: stake }: BountySubject): CallTemplate {
  const call: CallTemplate = mode === 'pitch' ? calls.pitch : calls.claim;
  if (stake === 0n) return call;
  const meaning = `${call.meaning} Send a stake of ${formatUsd(stake)} USDC to the marketplace first, then name the transfer; it comes back.`;
  return { ...call, meaning, required: [...(call.required ?? []), 'stake_tx_hash'] };
}
