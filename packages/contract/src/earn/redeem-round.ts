/**
 * Which withdrawals are redeemed next: as many as the venue can pay, first come, first served, each by its own call. Nobody overtakes somebody
 * who could be paid.
 */
import { earnLimits } from './limits.ts';
import { partOf } from './share-book.ts';

export interface Waiting {
  readonly id: string;
  readonly unitsLeft: bigint;
  /** `refused`: the venue refused it a moment ago. */
  readonly state: 'waiting' | 'under_way' | 'refused';
  /** How often in a row the venue refused it. */
  readonly refusals: number;
}

export interface Redemption {
  readonly id: string;
  readonly units: bigint;
}

export interface RoundLimits {
  /** Units that the venue can pay, without those of calls that are under way. */
  readonly room: bigint;
  /** Calls under way whose units may still be in the venue. */
  readonly underWay: number;
  /** A part that is worth its own call. */
  readonly isWorthACall: (units: bigint) => boolean;
}

/** `queue` is in its order. */
export function planRound(queue: readonly Waiting[], { room, underWay, isWorthACall }: RoundLimits): readonly Redemption[] {
  const isDoubtful = queue.some(({ state, refusals }) => state === 'refused' && refusals <= earnLimits.refusalsThatReserve);
  const atOnce = isDoubtful ? earnLimits.redemptionsInDoubt : earnLimits.redemptionsAtOnce;
  const round: Redemption[] = [];
  let free = room;
  for (const { id, unitsLeft, state, refusals } of queue) {
    if (state === 'under_way') continue;
    if (state === 'refused') {
      // It may have been a mishap: what it would get is kept for it. Somebody who is refused again and again holds up nobody.
      if (refusals <= earnLimits.refusalsThatReserve) free -= unitsLeft;
      continue;
    }
    if (free <= 0n || underWay + round.length >= atOnce) break;
    const units = partOf(unitsLeft, free);
    // While calls are under way, what is free is not known to the last unit: a part would be smaller than it must be.
    if (units < unitsLeft && (underWay > 0 || !isWorthACall(units))) break;
    round.push({ id, units });
    free -= units;
  }
  return round;
}
