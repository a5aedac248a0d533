/** Reads the amount of a deposit. Pure. */
import { earnLimits, formatUsd, parseUsd } from '@market/contract';

export function readAmount(text: string, leastUsd: string): { readonly usd: string } | { readonly problem: string } {
  const amount = parseUsd(text.trim());
  if (amount === undefined || amount === 0n) return { problem: 'Write an amount in USDC, such as 100 or 100.50.' };
  if (amount < (parseUsd(leastUsd) ?? 0n))
    return { problem: `${isFirst(leastUsd) ? 'The first deposit into a fresh pool' : 'A deposit'} is at least ${leastWords(leastUsd)}.` };
  return { usd: formatUsd(amount) };
}

export function leastWords(leastUsd: string): string {
  return `${formatUsd(parseUsd(leastUsd) ?? 0n)} USDC`;
}

/** Whether the pool is empty: its first deposit has a higher minimum. */
export function isFirst(leastUsd: string): boolean {
  return (parseUsd(leastUsd) ?? 0n) > earnLimits.leastDepositMicros;
}
