// Faults on demand. "reorg" is a single event; the others last until they are changed or expire.

export type FaultMode = 'none' | 'slow' | 'down' | 'drop_tx' | 'reorg';

export interface Fault {
  readonly mode: FaultMode;
  /** Real seconds after which the fault ends. */
  readonly seconds?: number;
}

const FAULT_MODES: readonly FaultMode[] = ['none', 'slow', 'down', 'drop_tx', 'reorg'];
export const SLOW_MILLISECONDS = 3000;

export type Faults = ReturnType<typeof createFaults>;

export function createFaults() {
  let mode: Exclude<FaultMode, 'reorg'> = 'none';
  let until = Number.POSITIVE_INFINITY;

  return {
    current(): Exclude<FaultMode, 'reorg'> {
      if (performance.now() >= until) mode = 'none';
      return mode;
    },

    set({ mode: next, seconds }: Fault): void {
      mode = next === 'reorg' ? 'none' : next;
      until = seconds === undefined ? Number.POSITIVE_INFINITY : performance.now() + seconds * 1000;
    },
  };
}

export function checkFault({ mode, seconds }: Fault): void {
  if (!FAULT_MODES.includes(mode)) throw new RangeError(`A fault is one of ${FAULT_MODES.join(', ')}.`);
  if (seconds !== undefined && !(seconds > 0 && Number.isFinite(seconds)))
    throw new RangeError('A fault lasts a positive number of seconds.');
}
