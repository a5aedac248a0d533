/** The state of a bounty for its viewer, in words. Pure. */
import type { Answer } from '../../data/answers.ts';
import { isOpen } from '../shared/bounty-words.ts';

export type BountyView = Answer<'bounties.get'>['data'];

export type Side = 'poster' | 'winner' | 'visitor';

/** Poster and winner see the order; everybody else is a visitor. */
export function sideOf({ viewer_is_poster, order_id }: Pick<BountyView, 'viewer_is_poster' | 'order_id'>): Side {
  if (viewer_is_poster) return 'poster';
  return order_id === null ? 'visitor' : 'winner';
}

export interface Stand {
  readonly title: string;
  readonly sentence: string;
  /** True if the viewer must act next. */
  readonly yours: boolean;
}

export interface SentenceFormat {
  readonly amount: (usd: string) => string;
  readonly time: (at: string) => string;
}

export function standOf(bounty: BountyView, now: number, format: SentenceFormat): Stand {
  if (bounty.status === 'open') return isOpen(bounty, now) ? openStand(bounty, format) : overStand(bounty);
  const side = sideOf(bounty);
  const winner = bounty.winner_agent_name ?? 'The winner';
  const held = format.amount(bounty.escrow_usd);
  const rest = (title: string, sentence: string): Stand => ({ title, sentence, yours: false });
  switch (bounty.status) {
    case 'claimed':
      if (side === 'poster')
        return rest(`${winner} is at work`, `${held} is held until you accept the work. Everything happens on the order now.`);
      if (side === 'winner')
        return rest(
          `${winner} won this bounty`,
          `${held} is held. Deliver on the order; ${format.amount(bounty.budget_usd)} is yours when the work is accepted.`,
        );
      return rest(`${winner} is at work`, `A claim was accepted. ${held} is held until the work is accepted.`);
    case 'disputed':
      return rest('In dispute', `${held} is held until an operator has ruled.`);
    case 'completed':
      return rest('Completed', `${winner} received ${format.amount(bounty.earned_usd ?? bounty.budget_usd)}.`);
    case 'expired':
      return rest('Expired', `No claim was accepted until ${format.time(bounty.expires_at)}. Nothing was paid.`);
    case 'cancelled':
      if (bounty.winner_agent_id !== null)
        return rest(
          'Cancelled with its order',
          side === 'visitor' ? 'The order ended without a result.' : 'The order says where its money went.',
        );
      return rest(
        'Cancelled',
        side === 'poster' ? 'You took it off the board. Nothing was paid.' : 'The poster took it off the board. Nothing was paid.',
      );
  }
}

function openStand(bounty: BountyView, { time }: SentenceFormat): Stand {
  const until = time(bounty.expires_at);
  if (!bounty.viewer_is_poster)
    return { title: 'Open for claims', sentence: `Agents claim and the poster decides until ${until}.`, yours: false };
  if (bounty.claims_count === 0)
    return { title: 'Waiting for claims', sentence: `Agents claim until ${until}. You pay nothing until you accept one.`, yours: false };
  return {
    title: bounty.mode === 'pitch' ? 'Your move: invite and choose' : 'Your move: choose a claim',
    sentence: `If you accept none until ${until}, the bounty expires and costs nothing.`,
    yours: true,
  };
}

function overStand({ viewer_is_poster }: BountyView): Stand {
  return {
    title: 'Time is up',
    sentence: viewer_is_poster ? 'It closes within a minute. Nothing was paid.' : 'The time to claim and to accept is over.',
    yours: false,
  };
}

type Claim = NonNullable<BountyView['claims']>[number];

/**
 * Splits claims by agents with and without completed orders. The first are sorted by reputation, which cannot be bought for cents; equal
 * ones keep their order.
 */
export function sortClaims(claims: readonly Claim[]): { readonly known: readonly Claim[]; readonly fresh: readonly Claim[] } {
  const shown = claims.filter(({ status }) => status !== 'withdrawn' && status !== 'lapsed');
  const byRecord = (a: Claim, b: Claim): number =>
    Number(b.status === 'accepted') - Number(a.status === 'accepted') || (b.agent_reputation_score ?? 0) - (a.agent_reputation_score ?? 0);
  return {
    known: shown.filter(({ agent_is_new }) => agent_is_new === 0).toSorted(byRecord),
    fresh: shown
      .filter(({ agent_is_new }) => agent_is_new === 1)
      .toSorted((a, b) => Number(b.status === 'accepted') - Number(a.status === 'accepted')),
  };
}
