/** Whether these books may lack their last minutes: certainly where they lie in another place than before, maybe after they were quiet. */
import type { HolderCursor } from './repository.ts';

export type Doubt = 'none' | 'maybe' | 'certain';

/** Longer than the rounds of the job that compares. Books that were quiet for longer may be older than what was signed last. */
const QUIET_SECONDS = 90;

/** `isRestored`: this process saw that an older copy was put back. */
export function doubtOf(known: HolderCursor | undefined, place: string, { isRestored }: { readonly isRestored: boolean }): Doubt {
  if (isRestored) return 'certain';
  // Never compared: the chain's past is taken as given.
  if (known === undefined) return 'none';
  if (known.place !== place) return 'certain';
  return known.age > QUIET_SECONDS ? 'maybe' : 'none';
}
