/** Formats amounts and times for sentences. */
import { useMemo } from 'react';
import { formatAmount, formatTime, useVisitor } from '../../../ui/index.ts';

export interface SentenceParts {
  /** An amount like `162.00 USDC`. */
  amount(usd: string | null): string;
  /** A time like `Mon 17 Nov at 14:05`. */
  time(at: string): string;
}

export function useSentenceParts(): SentenceParts {
  const visitor = useVisitor();
  return useMemo(
    () => ({
      amount: (usd) => `${formatAmount(usd ?? '0', visitor.locale)} USDC`,
      time: (at) => formatTime(at, 'sentence', visitor),
    }),
    [visitor],
  );
}
