/** Refreshes a value in the background when it is read; readers never wait. */

/** Interval after an incomplete look. */
const IMPATIENT_MS = 2_000;

/**
 * Looks once before it returns. The returned function looks again in the background if the last look is older than `freshMs`. `look`
 * returns whether it was complete; if not, the next one follows sooner.
 */
export async function refreshInBackground(freshMs: number, look: () => Promise<boolean>): Promise<() => void> {
  let sawAll = await look();
  let lookedAt = performance.now();
  let isLooking = false;
  return () => {
    if (isLooking || performance.now() - lookedAt < (sawAll ? freshMs : Math.min(freshMs, IMPATIENT_MS))) return;
    isLooking = true;
    void look().then((complete) => {
      sawAll = complete;
      lookedAt = performance.now();
      isLooking = false;
    });
  };
}
