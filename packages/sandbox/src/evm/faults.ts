// Faults on demand. They are not stored: a restart ends them.

export interface EvmFault {
  /**
   * `slow` delays every call by three seconds, `down` refuses calls and connections, `drop_tx` answers transactions with their hash
   * and forgets them, `reorg` replaces the blocks that are not final once, `none` ends the other faults.
   */
  readonly mode: 'none' | 'slow' | 'down' | 'drop_tx' | 'reorg';
  /** Real time until the fault ends; without it the fault stays. */
  readonly seconds?: number;
}

export const SLOW_MILLISECONDS = 3_000;

export interface Faults {
  readonly mode: EvmFault['mode'];
  set(fault: EvmFault): void;
}

export function createFaults(): Faults {
  let mode: EvmFault['mode'] = 'none';
  let endsAt = Number.POSITIVE_INFINITY;
  return {
    get mode() {
      return performance.now() < endsAt ? mode : 'none';
    },
    set(fault) {
      mode = fault.mode;
      endsAt = fault.seconds === undefined ? Number.POSITIVE_INFINITY : performance.now() + fault.seconds * 1000;
    },
  };
}
