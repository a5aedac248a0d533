/**
 * Picks the withdrawals to redeem next: as many as the venue can pay, first come, first served, each by its own call. None overtakes one
 * that could be paid.
 */
import { earnLimits } from './limits.ts';
import { partOf } from './share-book.ts';

export interface Waiting {
  readonly id: string;
  readonly unitsLeft: bigint;
  /** `refused`: the venue refused the latest attempt a moment ago. */
  readonly state: 'waiting' | 'under_way' | 'refused';
  /** Consecutive refusals by the venue. */
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
  /** Whether redeeming so few units is worth a call of its own. */
  readonly isWorthACall: (units: bigint) => boolean;
}

/** `queue` must be sorted, its head first. */
export function planRound(queue: readonly Waiting[], { room, underWay, isWorthACall }: RoundLimits): readonly Redemption[] {
  const isDoubtful = queue.some(({ state, refusals }) => state === 'refused' && refusals <= earnLimits.refusalsThatReserve);
  const atOnce = isDoubtful ? earnLimits.redemptionsInDoubt : earnLimits.redemptionsAtOnce;
  const round: Redemption[] = [];
  let free = room;
  for (const { id, unitsLeft, state, refusals } of queue) {
    if (state === 'under_way') continue;
    if (state === 'refused') {
      // A first refusal may be a mishap: reserve the withdrawal's units. After several refusals, others may use them.
      if (refusals <= earnLimits.refusalsThatReserve) free -= unitsLeft;
      continue;
    }
    if (free <= 0n || underWay + round.length >= atOnce) break;
    const units = partOf(unitsLeft, free);
    // While calls are under way, the free units are not known exactly: a part could be smaller than necessary.
    if (units < unitsLeft && (underWay > 0 || !isWorthACall(units))) break;
    round.push({ id, units });
    free -= units;
  }
  return round;
}
