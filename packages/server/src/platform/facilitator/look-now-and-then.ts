/** Keeps what was seen fresh for those who ask, without ever letting them wait and without asking while nobody does. */

/** Looks once before it returns; the returned function looks anew, behind its caller's back, when the last look is older than `freshMs`. */
export async function lookNowAndThen(freshMs: number, look: () => Promise<void>): Promise<() => void> {
  await look();
  let lookedAt = performance.now();
  let isLooking = false;
  return () => {
    if (isLooking || performance.now() - lookedAt < freshMs) return;
    isLooking = true;
    void look().finally(() => {
      lookedAt = performance.now();
      isLooking = false;
    });
  };
}
