/** Refreshes a value in the background when it is read; readers never wait. */

/** Looks once before it returns. The returned function looks again in the background when the last look is older than `freshMs`. */
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
