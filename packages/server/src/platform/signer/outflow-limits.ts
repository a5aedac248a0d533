/** Limits of outgoing money, the same for every signer: pure functions of the figures of recent transfers. */
import { formatUsd } from '@market/contract';
import type { OutflowLimits } from '../../config.ts';

export type { OutflowLimits };

export interface OutflowFigures {
  /** USDC signed but not confirmed, on all networks, without the payout in question. */
  readonly openMicros: bigint;
  /** USDC signed within the last hour, without the payout in question. */
  readonly hourMicros: bigint;
  /** The parts of both that go back to payers. */
  readonly openReturnedMicros: bigint;
  readonly hourReturnedMicros: bigint;
  /** Lamports spent on opening accounts within the last day. */
  readonly dayLamports: bigint;
  /** Number of accounts opened for this destination within the last day. */
  readonly dayAccounts: number;
  /** USDC parked until this destination has an account, without the payout in question. */
  readonly waitingMicros: bigint;
}

type AccountFigures = Pick<OutflowFigures, 'dayLamports' | 'dayAccounts' | 'waitingMicros'>;

/** The transfer is valid but must wait: a limit is reached or outflow is closed. */
export class OutflowHeld extends Error {
  override readonly name = 'OutflowHeld';
}

/**
 * Purposes that return money to its payer. Paying and getting it back costs nothing, so this must not use up the limits that sellers need.
 */
export const returnedPurposes = ['refund', 'surplus', 'earn_refund', 'earn_withdrawal'] as const;

export function isReturned(purpose: string): boolean {
  return returnedPurposes.some((returned) => returned === purpose);
}

/** Money that goes back may use one half of each limit. */
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
  // A single return may exceed its half of `floatMicros`, because it would otherwise wait for ever, and it is soon confirmed.
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

/** Why the treasury does not open this destination's account; undefined if it does. */
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
