// The chain's clock: real time plus the seconds by which it was advanced.

/** Blocks can come faster than one per second. To keep their times ordered, the chain may run ahead of its clock by this much. */
const MAX_LEAD_SECONDS = 5;

/** Returns a time later than the parent's, as on a real chain; a chain that is too far ahead of its clock repeats a second. */
export function nextBlockTime(parentSeconds: number, clockSeconds: number): number {
  if (clockSeconds > parentSeconds) return clockSeconds;
  return parentSeconds < clockSeconds + MAX_LEAD_SECONDS ? parentSeconds + 1 : parentSeconds;
}
