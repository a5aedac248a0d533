/** Reads the amount that somebody wants to deposit. Pure. */
import { formatUsd, parseUsd } from '@market/contract';

export function readAmount(text: string, leastUsd: string): { readonly usd: string } | { readonly problem: string } {
  const amount = parseUsd(text.trim());
  if (amount === undefined || amount === 0n) return { problem: 'Write an amount in USDC, such as 100 or 100.50.' };
  if (amount < (parseUsd(leastUsd) ?? 0n)) return { problem: `The first deposit into a fresh pool is at least ${leastWords(leastUsd)}.` };
  return { usd: formatUsd(amount) };
}

export function leastWords(leastUsd: string): string {
  return `${formatUsd(parseUsd(leastUsd) ?? 0n)} USDC`;
}

/** A pool with nobody in it asks for more than the smallest unit. */
export function hasMinimum(leastUsd: string): boolean {
  return (parseUsd(leastUsd) ?? 0n) > 1n;
}
