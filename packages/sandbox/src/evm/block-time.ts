// The chain's clock: real time plus what it was advanced by.

/** Blocks come faster than seconds. So that they stay ordered by time, the chain may run ahead of its clock, but not by more than this. */
const MAX_LEAD_SECONDS = 5;

/** Later than the parent, as on a real chain; only a chain that is far enough ahead of its clock repeats a second. */
export function nextBlockTime(parentSeconds: number, clockSeconds: number): number {
  if (clockSeconds > parentSeconds) return clockSeconds;
  return parentSeconds < clockSeconds + MAX_LEAD_SECONDS ? parentSeconds + 1 : parentSeconds;
}
