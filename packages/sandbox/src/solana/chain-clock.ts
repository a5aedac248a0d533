// Slots follow the wall clock and are computed on demand: an idle chain does no work. `advance` moves the chain's
// time, and with it the slots. An anchor maps a slot to a moment; a new one is needed only when the pace changes or the clock went back.

export interface SlotAnchor {
  readonly slot: number;
  readonly milliseconds: number;
  readonly slotMilliseconds: number;
}

export interface ClockState {
  readonly anchors: readonly SlotAnchor[];
  readonly offsetMilliseconds: number;
}

export function createChainClock(now: () => number, initial: ClockState) {
  const anchors = [...initial.anchors];
  let offset = initial.offsetMilliseconds;
  let highest = 0;

  const chainTime = () => now() + offset;
  const lastAnchor = () => anchors.at(-1) as SlotAnchor;

  /** The present slot. It never decreases, even when the machine's clock goes back. */
  function currentSlot(): number {
    const anchor = lastAnchor();
    const passed = Math.floor((chainTime() - anchor.milliseconds) / anchor.slotMilliseconds);
    highest = Math.max(highest, anchor.slot + Math.max(0, passed));
    return highest;
  }

  return {
    currentSlot,

    /** Continues after a restart: returns a new anchor to store if the old one no longer fits. */
    resume(slotMilliseconds: number, lastUsedSlot: number): SlotAnchor | undefined {
      const slot = currentSlot();
      if (slotMilliseconds === lastAnchor().slotMilliseconds && slot >= lastUsedSlot) return undefined;
      const anchor = { slot: Math.max(slot, lastUsedSlot) + 1, milliseconds: chainTime(), slotMilliseconds };
      anchors.push(anchor);
      return anchor;
    },

    /** The start of the slot in seconds since 1970, as in blocks and the Clock account. */
    unixSeconds(slot: number): number {
      const anchor = anchors.findLast((candidate) => candidate.slot <= slot) ?? (anchors[0] as SlotAnchor);
      return Math.floor((anchor.milliseconds + (slot - anchor.slot) * anchor.slotMilliseconds) / 1000);
    },

    advance(milliseconds: number): void {
      offset += milliseconds;
    },

    offsetMilliseconds: () => offset,
    slotMilliseconds: () => lastAnchor().slotMilliseconds,
  };
}
