/** Whether these books may miss the latest payments: 'certain' after a restore, 'maybe' after a quiet time. */
import type { HolderCursor } from './repository.ts';

export type Doubt = 'none' | 'maybe' | 'certain';

/** Longer than the interval of the comparing job. Books that were quiet for longer may be older than the latest signature. */
const QUIET_SECONDS = 90;

export function doubtOf(known: HolderCursor | undefined): Doubt {
  // The first comparison takes the chain's past as given.
  if (known === undefined) return 'none';
  if (!known.isHere) return 'certain';
  return known.age > QUIET_SECONDS ? 'maybe' : 'none';
}
