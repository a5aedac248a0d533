/**
 * The life of a bounty and of its claims as two tables: each row says who may give a command, what must hold and where it leads.
 * `decideBounty` and `decideClaim` are the only code that knows these rules. An accepted bounty follows its order.
 */
import type { OrderStatus } from '../orders/statuses.ts';
import { bountyErrors } from './errors.ts';
import { bountyLimits } from './limits.ts';
import type { BountyStatus, ClaimStatus } from './statuses.ts';

/** `system` is the marketplace itself: the timer, and steps that follow from those of the order. */
export const bountyRoles = ['poster', 'claimant', 'system'] as const;
export type BountyRole = (typeof bountyRoles)[number];

export const bountyCommands = ['claim', 'accept', 'cancel', 'expire', 'complete', 'dispute', 'resume', 'call_off'] as const;
export type BountyCommand = (typeof bountyCommands)[number];

export type BountyRefusal = Extract<keyof typeof bountyErrors, 'bounty_not_open' | 'bounty_expired' | 'bounty_in_window' | 'bounty_full'>;

export interface BountyFacts {
  readonly status: BountyStatus;
  /** End of the claim window. */
  readonly expiresAt: Date;
  /** Claims that are not withdrawn. */
  readonly claimsCount: number;
}

interface BountyGuard {
  readonly holds: (bounty: BountyFacts, now: Date) => boolean;
  readonly code: BountyRefusal;
}

const isOver = ({ expiresAt }: BountyFacts, now: Date): boolean => now.getTime() >= expiresAt.getTime();

const bountyGuards = {
  window_open: { holds: (bounty, now) => !isOver(bounty, now), code: 'bounty_expired' },
  window_over: { holds: isOver, code: 'bounty_in_window' },
  claims_left: { holds: ({ claimsCount }) => claimsCount < bountyLimits.claimsPerBounty, code: 'bounty_full' },
} as const satisfies Record<string, BountyGuard>;

export interface BountyRow {
  readonly from: readonly BountyStatus[];
  readonly command: BountyCommand;
  readonly by: BountyRole;
  readonly to: BountyStatus;
  readonly guards?: readonly (keyof typeof bountyGuards)[];
}

export const bountyLifecycle: readonly BountyRow[] = [
  { from: ['open'], command: 'claim', by: 'claimant', to: 'open', guards: ['window_open', 'claims_left'] },
  // The payment of 110% goes into the escrow of the order that this makes.
  { from: ['open'], command: 'accept', by: 'poster', to: 'claimed', guards: ['window_open'] },
  { from: ['open'], command: 'cancel', by: 'poster', to: 'cancelled' },
  { from: ['open'], command: 'expire', by: 'system', to: 'expired', guards: ['window_over'] },
  // From here on the order decides.
  { from: ['claimed', 'disputed'], command: 'complete', by: 'system', to: 'completed' },
  { from: ['claimed'], command: 'dispute', by: 'system', to: 'disputed' },
  { from: ['disputed'], command: 'resume', by: 'system', to: 'claimed' },
  { from: ['claimed', 'disputed'], command: 'call_off', by: 'system', to: 'cancelled' },
];

export type BountyDecision =
  | { readonly allowed: true; readonly to: BountyStatus }
  | { readonly allowed: false; readonly code: BountyRefusal; readonly reason: string };

export function decideBounty(bounty: BountyFacts, command: BountyCommand, role: BountyRole, now: Date): BountyDecision {
  const row = bountyLifecycle.find(({ from, ...one }) => one.command === command && one.by === role && from.includes(bounty.status));
  if (row === undefined)
    return refused('bounty_not_open', `This bounty is ${bounty.status}, so this is not possible. Nothing was used up.`);
  const closed = (row.guards ?? []).map((name): BountyGuard => bountyGuards[name]).find((guard) => !guard.holds(bounty, now));
  return closed === undefined ? { allowed: true, to: row.to } : refused(closed.code);
}

function refused(code: BountyRefusal, reason: string = bountyErrors[code].message): BountyDecision {
  return { allowed: false, code, reason };
}

/** The state of an accepted bounty, by that of its order. */
const statusByOrder: Readonly<Record<OrderStatus, BountyStatus>> = {
  pending_quote: 'claimed',
  quoted: 'claimed',
  accepted: 'claimed',
  paid: 'claimed',
  in_progress: 'claimed',
  delivered: 'claimed',
  revision_requested: 'claimed',
  disputed: 'disputed',
  completed: 'completed',
  cancelled: 'cancelled',
};

export function bountyStatusOf(order: OrderStatus): BountyStatus {
  return statusByOrder[order];
}

export const claimCommands = ['claim', 'accept', 'reject', 'withdraw'] as const;
export type ClaimCommand = (typeof claimCommands)[number];

export interface ClaimRow {
  /** Null: the agent has not claimed this bounty before. */
  readonly from: readonly (ClaimStatus | null)[];
  readonly command: ClaimCommand;
  readonly by: BountyRole;
  readonly to: ClaimStatus;
}

export const claimLifecycle: readonly ClaimRow[] = [
  { from: [null, 'withdrawn'], command: 'claim', by: 'claimant', to: 'pending' },
  { from: ['pending'], command: 'accept', by: 'poster', to: 'accepted' },
  // Another claim was accepted, or the bounty was cancelled or expired.
  { from: ['pending'], command: 'reject', by: 'system', to: 'rejected' },
  { from: ['pending'], command: 'withdraw', by: 'claimant', to: 'withdrawn' },
];

export type ClaimRefusal = Extract<keyof typeof bountyErrors, 'claim_exists' | 'claim_not_pending' | 'claim_accepted'>;

export type ClaimDecision =
  | { readonly allowed: true; readonly to: ClaimStatus }
  | { readonly allowed: false; readonly code: ClaimRefusal; readonly reason: string };

export function decideClaim(status: ClaimStatus | null, command: ClaimCommand, role: BountyRole): ClaimDecision {
  const row = claimLifecycle.find(({ from, ...one }) => one.command === command && one.by === role && from.includes(status));
  if (row !== undefined) return { allowed: true, to: row.to };
  const code = refusalOf(status, command);
  return { allowed: false, code, reason: bountyErrors[code].message };
}

function refusalOf(status: ClaimStatus | null, command: ClaimCommand): ClaimRefusal {
  if (command === 'claim') return 'claim_exists';
  return command === 'withdraw' && status === 'accepted' ? 'claim_accepted' : 'claim_not_pending';
}
