/** Splits one reading of a treasury so that always held = owed + own + on its way + unbooked − missing. */
import type { TreasuryReading } from './treasury-repository.ts';

/** Parts of a reading, in micro-USDC. */
export interface HeldParts {
  readonly held: bigint;
  readonly owed: bigint;
  readonly own: bigint;
  readonly onItsWay: bigint;
  readonly unbooked: bigint;
  readonly missing: bigint;
  readonly covered: boolean;
}

export function takeApart(reading: TreasuryReading): HeldParts {
  const { heldMicros: held, ownMicros: own, inFlightMicros: inFlight } = reading;
  const { escrowMicros, agentsMicros, refundsMicros, surplusMicros, unmatchedMicros, earnMicros } = reading;
  const owed = escrowMicros + agentsMicros + refundsMicros + surplusMicros + unmatchedMicros + earnMicros;
  // A transfer leaves the treasury before the books confirm it, so `onItsWay` counts only reserved money that the chain still shows.
  const rest = held - owed - own;
  if (rest < 0n) return { held, owed, own, onItsWay: 0n, unbooked: 0n, missing: -rest, covered: held >= owed };
  const hasLeft = rest < inFlight;
  const onItsWay = hasLeft ? rest : inFlight;
  return { held, owed, own, onItsWay, unbooked: rest - onItsWay, missing: 0n, covered: held >= owed };
}

export function sumOfParts(all: readonly HeldParts[]): HeldParts {
  const sum = (of: (parts: HeldParts) => bigint): bigint => all.reduce((total, parts) => total + of(parts), 0n);
  return {
    held: sum(({ held }) => held),
    owed: sum(({ owed }) => owed),
    own: sum(({ own }) => own),
    onItsWay: sum(({ onItsWay }) => onItsWay),
    unbooked: sum(({ unbooked }) => unbooked),
    missing: sum(({ missing }) => missing),
    covered: all.every(({ covered }) => covered),
  };
}
