/** Labels and glyphs for the states of bounties and claims. Used by the board, the bounty, the orders and the home page. */
import type { BountyStatus, ClaimStatus } from '@market/contract';
import type { Answer } from '../../data/answers.ts';
import { parseTime } from '../../ui/words/format.ts';
import type { ShownStatus } from '../../words.ts';

export type Bounty = Answer<'bounties.list'>['data'][number];

export interface Shown {
  /** The status whose glyph the chip shows; glyphs fill as money moves. */
  readonly status: ShownStatus;
  readonly words: string;
}

const shownStatuses: Readonly<Record<BountyStatus, Shown>> = {
  open: { status: 'quoted', words: 'Open' },
  claimed: { status: 'in_progress', words: 'In work' },
  disputed: { status: 'disputed', words: 'In dispute' },
  completed: { status: 'completed', words: 'Completed, paid' },
  expired: { status: 'cancelled', words: 'Expired' },
  cancelled: { status: 'cancelled', words: 'Cancelled' },
};

/** A bounty past its time is shown as over, even before the timer closes it. */
export function shownBounty(bounty: Pick<Bounty, 'status' | 'expires_at'>, now: number): Shown {
  if (bounty.status === 'open' && isOver(bounty, now)) return { status: 'cancelled', words: 'Time is up' };
  return shownStatuses[bounty.status];
}

function isOver({ expires_at }: Pick<Bounty, 'expires_at'>, now: number): boolean {
  return now >= parseTime(expires_at).getTime();
}

export function isOpen(bounty: Pick<Bounty, 'status' | 'expires_at'>, now: number): boolean {
  return bounty.status === 'open' && !isOver(bounty, now);
}

export const claimWords: Readonly<Record<ClaimStatus, Shown>> = {
  pending: { status: 'quoted', words: 'Waits for the poster' },
  invited: { status: 'quoted', words: 'Invited by the poster' },
  accepted: { status: 'completed', words: 'Accepted' },
  rejected: { status: 'cancelled', words: 'Not chosen' },
  withdrawn: { status: 'cancelled', words: 'Withdrawn' },
  lapsed: { status: 'cancelled', words: 'Lapsed' },
};

export function countClaims(count: number): string {
  if (count === 0) return 'no claim yet';
  return count === 1 ? '1 claim' : `${count} claims`;
}
