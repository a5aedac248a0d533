/** The shares to withdraw for a wanted amount, and the value of a part. Pure, on integers; the server decides the real payment. */
import { earnLimits, formatUsd, parseUsd } from '@market/contract';

export interface Holding {
  readonly shares: string;
  /** Null: the venue is unreadable now. */
  readonly value_usd: string | null;
}

/** The whole position in thousandths, the steps of the slider. */
export const WHOLE = 1000;

export function partWorth({ value_usd }: Holding, thousandths: number): string | null {
  const value = value_usd === null ? undefined : parseUsd(value_usd);
  return value === undefined ? null : formatUsd((value * BigInt(thousandths)) / BigInt(WHOLE));
}

export type Wanted = { readonly all: true } | { readonly shares: string };

/** The arguments to send, or the problem in words. */
export function readWanted(holding: Holding, amount: string): Wanted | { readonly problem: string } {
  const value = holding.value_usd === null ? undefined : parseUsd(holding.value_usd);
  if (value === undefined || value === 0n) return { problem: 'The venue cannot be read now. Take out everything, or come back later.' };
  const wanted = parseUsd(amount.trim());
  if (wanted === undefined || wanted <= 0n) return { problem: 'Write an amount in USDC, such as 25 or 25.50.' };
  if (wanted > value) return { problem: `Your share is worth ${formatUsd(value)} USDC now.` };
  if (wanted === value) return { all: true };
  // Rounds up, so that the amount is reached; the rest of a share stays in the pool.
  const shares = (wanted * BigInt(holding.shares) + value - 1n) / value;
  if (shares >= BigInt(holding.shares)) return { all: true };
  const least = earnLimits.leastWithdrawalMicros;
  return wanted < least ? { problem: `Take out at least ${formatUsd(least)} USDC, or everything.` } : { shares: String(shares) };
}

export function thousandthsOf(holding: Holding, amount: string): number {
  const value = holding.value_usd === null ? undefined : parseUsd(holding.value_usd);
  const wanted = parseUsd(amount.trim());
  if (value === undefined || value === 0n || wanted === undefined || wanted < 0n) return 0;
  return wanted >= value ? WHOLE : Number((wanted * BigInt(WHOLE)) / value);
}
