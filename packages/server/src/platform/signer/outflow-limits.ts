/** Limits of outgoing money, the same for every signer: pure rules over figures of recent transfers. */
import { formatUsd } from '@market/contract';
import type { OutflowLimits } from '../../config.ts';

export type { OutflowLimits };

export interface OutflowFigures {
  /** Signed and not confirmed, all networks, without the payout in question. */
  readonly openMicros: bigint;
  /** Signed within the last hour, likewise. */
  readonly hourMicros: bigint;
  /** Paid within the last day for opening accounts. */
  readonly dayLamports: bigint;
  /** How often within the last day for this destination. */
  readonly dayAccounts: number;
  /** Parked until this destination has an account, without the payout in question. */
  readonly waitingMicros: bigint;
}

/** The transfer is valid but must wait: a cap is reached or outflow is closed. */
export class OutflowHeld extends Error {
  override readonly name = 'OutflowHeld';
}

/** Why a payout of this amount must wait; undefined when it may leave. */
export function findHold(limits: OutflowLimits, figures: OutflowFigures, micros: bigint): string | undefined {
  const hour = figures.hourMicros + micros;
  if (hour > limits.hourlyMicros) {
    return `The hourly outflow limit is reached: ${formatUsd(hour)} of ${formatUsd(limits.hourlyMicros)} USDC (OUTFLOW_HOURLY_USD). The payout stays queued.`;
  }
  const open = figures.openMicros + micros;
  if (open > limits.floatMicros) {
    return `Too much is on its way: ${formatUsd(open)} of ${formatUsd(limits.floatMicros)} USDC (OUTFLOW_FLOAT_USD). The payout stays queued.`;
  }
  return undefined;
}

/** Maximum cost of opening a token account: the rent of 165 bytes, unchanged since genesis. */
const ACCOUNT_LAMPORTS = 2_039_280n;

/** Why the treasury does not open this destination's account; undefined when it does. */
export function findAccountRefusal(limits: OutflowLimits, figures: OutflowFigures, micros: bigint): string | undefined {
  const next = 'It is paid when the account exists.';
  if (figures.waitingMicros + micros < limits.accountFromMicros) {
    return `The destination has no USDC account, and the marketplace opens one from ${formatUsd(limits.accountFromMicros)} USDC on. ${next}`;
  }
  if (figures.dayAccounts >= limits.accountsPerDestination) {
    return `The marketplace opened the destination's USDC account today, and it was closed again. ${next}`;
  }
  if (figures.dayLamports + ACCOUNT_LAMPORTS > limits.accountLamportsPerDay) {
    return `The marketplace has opened as many USDC accounts today as it may. ${next}`;
  }
  return undefined;
}
