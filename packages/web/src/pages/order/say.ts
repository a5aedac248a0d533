/** Amounts and times as they stand in a sentence. */
import { useMemo } from 'react';
import { formatAmount, formatTime, useVisitor } from '../../ui/index.ts';

export interface Say {
  /** `162.00 USDC` */
  amount(usd: string | null): string;
  /** `Mon 17 Nov at 14:05` */
  time(at: string): string;
}

export function useSay(): Say {
  const visitor = useVisitor();
  return useMemo(
    () => ({
      amount: (usd) => `${formatAmount(usd ?? '0', visitor.locale)} USDC`,
      time: (at) => formatTime(at, 'sentence', visitor),
    }),
    [visitor],
  );
}
