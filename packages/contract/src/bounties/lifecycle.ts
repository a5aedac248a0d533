/**
 * The life of a bounty and of its claims as two tables: each row says who may give a command, what must hold and where it leads.
 * `decideBounty` and `decideClaim` are the only code that knows these rules. An accepted bounty follows its order.
 */
import type { OrderStatus } from '../orders/statuses.ts';
import { bountyErrors } from './errors.ts';
import { bountyLimits } from './limits.ts';
import type { BountyMode, BountyStatus, ClaimStatus } from './statuses.ts';

/** `system` is the marketplace itself: the timer, and steps that follow from those of the order. */
export const bountyRoles = ['poster', 'claimant', 'operator', 'system'] as const;
export type BountyRole = (typeof bountyRoles)[number];

export const bountyCommands = [
  'claim',
  'invite',
  'accept',
  'extend',
  'cancel',
  'take_down',
  'expire',
  'complete',
  'dispute',
  'resume',
  'call_off',
] as const;
export type BountyCommand = (typeof bountyCommands)[number];

export type BountyRefusal = Extract<keyof typeof bountyErrors, 'bounty_not_open' | 'bounty_expired' | 'bounty_in_window' | 'bounty_full'>;

export interface BountyFacts {
  readonly status: BountyStatus;
  /** End of the time in which agents may claim and the poster may accept. */
  readonly expiresAt: Date;
  /** Claims that are neither withdrawn nor lapsed. */
  readonly claimsCount: number;
  /** Claims of agents that can be hired; only these count towards the limit. */
  readonly placesTaken: number;
  /** True: the poster is banned, so the bounty takes no claims. */
  readonly posterBanned?: boolean;
  /** The winning claim, if any; the bounty's text then belongs to an order. */
  readonly acceptedClaimId?: string | null;
  /** When an operator hid the bounty. */
  readonly takenDownAt?: Date | null;
}

interface BountyGuard {
  readonly holds: (bounty: BountyFacts, now: Date) => boolean;
  readonly code: BountyRefusal;
  /** When time alone makes the guard fail. */
  readonly closesAt?: (bounty: BountyFacts) => Date;
}

const isOver = ({ expiresAt }: BountyFacts, now: Date): boolean => now.getTime() >= expiresAt.getTime();

const bountyGuards = {
  window_open: { holds: (bounty, now) => !isOver(bounty, now), code: 'bounty_expired', closesAt: ({ expiresAt }) => expiresAt },
  window_over: { holds: isOver, code: 'bounty_in_window' },
  claims_left: { holds: ({ placesTaken }) => placesTaken < bountyLimits.claimsPerBounty, code: 'bounty_full' },
  unaccepted: { holds: ({ acceptedClaimId = null }) => acceptedClaimId === null, code: 'bounty_not_open' },
  shown: { holds: ({ takenDownAt = null }) => takenDownAt === null, code: 'bounty_not_open' },
  poster_allowed: { holds: ({ posterBanned }) => posterBanned !== true, code: 'bounty_not_open' },
} as const satisfies Record<string, BountyGuard>;

export interface BountyRow {
  readonly from: readonly BountyStatus[];
  readonly command: BountyCommand;
  readonly by: BountyRole;
  readonly to: BountyStatus;
  readonly guards?: readonly (keyof typeof bountyGuards)[];
}

export const bountyLifecycle: readonly BountyRow[] = [
  { from: ['open'], command: 'claim', by: 'claimant', to: 'open', guards: ['poster_allowed', 'window_open', 'claims_left'] },
  { from: ['open'], command: 'invite', by: 'poster', to: 'open', guards: ['window_open'] },
  // Accepting makes an order; the payment of 110% goes into its escrow.
  { from: ['open'], command: 'accept', by: 'poster', to: 'claimed', guards: ['window_open'] },
  { from: ['open'], command: 'extend', by: 'poster', to: 'open', guards: ['window_open'] },
  { from: ['open'], command: 'cancel', by: 'poster', to: 'cancelled' },
  { from: ['open'], command: 'take_down', by: 'operator', to: 'cancelled' },
  // Operators can hide the text of an ended bounty without a winner, so a poster cannot evade them by cancelling.
  { from: ['cancelled'], command: 'take_down', by: 'operator', to: 'cancelled', guards: ['unaccepted', 'shown'] },
  { from: ['expired'], command: 'take_down', by: 'operator', to: 'expired', guards: ['unaccepted', 'shown'] },
  { from: ['open'], command: 'expire', by: 'system', to: 'expired', guards: ['window_over'] },
  // After acceptance, the bounty follows its order.
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

/** When time alone makes a command, now allowed, refused; null for never. */
export function bountyClosesAt(bounty: BountyFacts, command: BountyCommand, role: BountyRole): Date | null {
  const row = bountyLifecycle.find(({ from, ...one }) => one.command === command && one.by === role && from.includes(bounty.status));
  const [end] = (row?.guards ?? []).flatMap((name) => (bountyGuards[name] as BountyGuard).closesAt?.(bounty) ?? []);
  return end ?? null;
}

function refused(code: BountyRefusal, reason: string = bountyErrors[code].message): BountyDecision {
  return { allowed: false, code, reason };
}

/** The status of an accepted bounty, by the status of its order. */
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

export const claimCommands = ['claim', 'invite', 'accept', 'reject', 'withdraw', 'lapse'] as const;
export type ClaimCommand = (typeof claimCommands)[number];

export interface ClaimRow {
  /** Null: the agent has not claimed this bounty before. */
  readonly from: readonly (ClaimStatus | null)[];
  readonly command: ClaimCommand;
  readonly by: BountyRole;
  readonly to: ClaimStatus;
  /** The row applies only to bounties of this mode. */
  readonly only?: BountyMode;
}

export const claimLifecycle: readonly ClaimRow[] = [
  { from: [null, 'withdrawn', 'lapsed'], command: 'claim', by: 'claimant', to: 'pending' },
  { from: ['pending'], command: 'invite', by: 'poster', to: 'invited', only: 'pitch' },
  { from: ['pending'], command: 'accept', by: 'poster', to: 'accepted', only: 'open' },
  { from: ['invited'], command: 'accept', by: 'poster', to: 'accepted' },
  // Another claim was accepted, or the bounty was cancelled or expired.
  { from: ['pending', 'invited'], command: 'reject', by: 'system', to: 'rejected' },
  // Claiming again after a withdrawal is a new proposal without an invitation.
  { from: ['pending', 'invited'], command: 'withdraw', by: 'claimant', to: 'withdrawn' },
  // The window of the claim is over.
  { from: ['pending', 'invited'], command: 'lapse', by: 'system', to: 'lapsed' },
];

/** Claims that are not decided yet. */
export const openClaimStatuses: readonly ClaimStatus[] = ['pending', 'invited'];

export interface HeldClaim {
  readonly status: ClaimStatus;
  /** End of its claim window. */
  readonly lapsesAt: Date;
}

/** The status of a claim now: a claim past its window has lapsed, even before its timer ran. */
export function claimStatusAt({ status, lapsesAt }: HeldClaim, now: Date): ClaimStatus {
  return openClaimStatuses.includes(status) && now.getTime() >= lapsesAt.getTime() ? 'lapsed' : status;
}

export type ClaimRefusal = Extract<
  keyof typeof bountyErrors,
  'claim_exists' | 'claim_not_pending' | 'claim_accepted' | 'claim_not_invited' | 'bounty_takes_no_pitches'
>;

export type ClaimDecision =
  | { readonly allowed: true; readonly to: ClaimStatus }
  | { readonly allowed: false; readonly code: ClaimRefusal; readonly reason: string };

export function decideClaim(status: ClaimStatus | null, command: ClaimCommand, role: BountyRole, mode: BountyMode): ClaimDecision {
  const row = claimLifecycle.find(
    ({ from, only = mode, ...one }) => one.command === command && one.by === role && only === mode && from.includes(status),
  );
  if (row !== undefined) return { allowed: true, to: row.to };
  const code = refusalOf(status, command, mode);
  return { allowed: false, code, reason: bountyErrors[code].message };
}

function refusalOf(status: ClaimStatus | null, command: ClaimCommand, mode: BountyMode): ClaimRefusal {
  if (command === 'claim') return 'claim_exists';
  if (command === 'invite' && mode === 'open') return 'bounty_takes_no_pitches';
  if (command === 'accept' && status === 'pending') return 'claim_not_invited';
  return command === 'withdraw' && status === 'accepted' ? 'claim_accepted' : 'claim_not_pending';
}
