/** Limits of outgoing money, the same for every signer: pure rules over figures of recent transfers. */
import { formatUsd } from '@market/contract';
import type { OutflowLimits } from '../../config.ts';

export type { OutflowLimits };

export interface OutflowFigures {
  /** Signed and not confirmed, all networks, without the payout in question. */
  readonly openMicros: bigint;
  /** Signed within the last hour, likewise. */
  readonly hourMicros: bigint;
  /** The part of both that goes back to payers. */
  readonly openReturnedMicros: bigint;
  readonly hourReturnedMicros: bigint;
  /** Paid within the last day for opening accounts. */
  readonly dayLamports: bigint;
  /** How often within the last day for this destination. */
  readonly dayAccounts: number;
  /** Parked until this destination has an account, without the payout in question. */
  readonly waitingMicros: bigint;
}

type AccountFigures = Pick<OutflowFigures, 'dayLamports' | 'dayAccounts' | 'waitingMicros'>;

/** The transfer is valid but must wait: a cap is reached or outflow is closed. */
export class OutflowHeld extends Error {
  override readonly name = 'OutflowHeld';
}

/** Money that goes back to whom it came from. Paying and getting it back costs nothing, so a circle of it must not fill what sellers need. */
export const returnedPurposes = ['refund', 'surplus', 'earn_refund', 'earn_withdrawal'] as const;

export function isReturned(purpose: string): boolean {
  return returnedPurposes.some((returned) => returned === purpose);
}

/** Of each limit, for money that goes back. */
const RETURNED_SHARE = 2n;

/** Why a payout of this amount must wait; undefined when it may leave. */
export function findHold(limits: OutflowLimits, figures: OutflowFigures, payout: HeldPayout): string | undefined {
  const { amountMicros: micros } = payout;
  if (isReturned(payout.purpose)) {
    const full = findFullShare(limits, figures, micros);
    if (full !== undefined) return full;
  }
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

export interface HeldPayout {
  readonly purpose: string;
  readonly amountMicros: bigint;
}

function findFullShare(limits: OutflowLimits, figures: OutflowFigures, micros: bigint): string | undefined {
  const { hourReturnedMicros: hour, openReturnedMicros: open } = figures;
  // One alone may exceed its half of what is under way: it is confirmed soon, and would wait for ever otherwise.
  const shares = [
    [hour + micros, limits.hourlyMicros / RETURNED_SHARE, 'OUTFLOW_HOURLY_USD'],
    [open === 0n ? 0n : open + micros, limits.floatMicros / RETURNED_SHARE, 'OUTFLOW_FLOAT_USD'],
  ] as const;
  const full = shares.find(([returned, share]) => returned > share);
  if (full === undefined) return undefined;
  const [returned, share, setting] = full;
  return `The share of refunds is used up: ${formatUsd(returned)} of ${formatUsd(share)} USDC (half of ${setting}). The payout stays queued.`;
}

/** Maximum cost of opening a token account: the rent of 165 bytes, unchanged since genesis. */
const ACCOUNT_LAMPORTS = 2_039_280n;

/** Why the treasury does not open this destination's account; undefined when it does. */
export function findAccountRefusal(limits: OutflowLimits, figures: AccountFigures, micros: bigint): string | undefined {
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
