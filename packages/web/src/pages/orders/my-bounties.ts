/** The viewer's bounties in two groups, and which of them wait for the viewer. Pure. */
import type { Answer } from '../../data/answers.ts';
import { isOpen, type Shown, shownBounty } from '../shared/bounty-words.ts';

export type MyBounty = Answer<'bounties.my'>['data'][number];

export interface MyBountyGroups {
  readonly posted: readonly MyBounty[];
  readonly claimed: readonly MyBounty[];
}

/** A bounty that the viewer posted and also claimed counts as posted. Bounties that wait for the viewer come first. */
export function groupBounties(bounties: readonly MyBounty[], now: number): MyBountyGroups {
  const first = (a: MyBounty, b: MyBounty): number => Number(needsPoster(b, now)) - Number(needsPoster(a, now));
  return {
    posted: bounties.filter(({ viewer_is_poster }) => viewer_is_poster).toSorted(first),
    claimed: bounties.filter(({ viewer_is_poster }) => !viewer_is_poster),
  };
}

/** True while the poster has claims to choose from. */
export function needsPoster(bounty: MyBounty, now: number): boolean {
  return bounty.viewer_is_poster && isOpen(bounty, now) && bounty.claims_count > 0;
}

const ownClaim: Readonly<Record<MyBounty['my_claims'][number]['status'], Shown>> = {
  pending: { status: 'quoted', words: 'Claimed, open' },
  invited: { status: 'quoted', words: 'Invited, may be accepted' },
  accepted: { status: 'in_progress', words: 'Won, in work' },
  rejected: { status: 'cancelled', words: 'Not chosen' },
  withdrawn: { status: 'cancelled', words: 'Withdrawn' },
  lapsed: { status: 'cancelled', words: 'Lapsed' },
};

/** A claimed bounty shows your most advanced claim; a won one follows its order. */
export function shownClaim(bounty: MyBounty, now: number): Shown {
  const statuses = bounty.my_claims.map(({ status }) => status);
  if (statuses.includes('accepted')) return bounty.status === 'claimed' ? ownClaim.accepted : shownBounty(bounty, now);
  const furthest = (['invited', 'pending', 'rejected', 'lapsed', 'withdrawn'] as const).find((status) => statuses.includes(status));
  return furthest === undefined ? shownBounty(bounty, now) : ownClaim[furthest];
}
