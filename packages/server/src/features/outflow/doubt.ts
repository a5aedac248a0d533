/** Whether these books may lack their last minutes: certainly when they were put back, maybe after they were quiet. */
import type { HolderCursor } from './repository.ts';

export type Doubt = 'none' | 'maybe' | 'certain';

/** Longer than the rounds of the job that compares. Books that were quiet for longer may be older than what was signed last. */
const QUIET_SECONDS = 90;

export function doubtOf(known: HolderCursor | undefined): Doubt {
  // Never compared: the chain's past is taken as given.
  if (known === undefined) return 'none';
  if (!known.isHere) return 'certain';
  return known.age > QUIET_SECONDS ? 'maybe' : 'none';
}
