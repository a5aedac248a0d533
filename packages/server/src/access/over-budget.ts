/** The refusal for a client address that used up one of its budgets. */
import { MarketError } from '@market/contract';
import type { Clock } from '../platform/clock/clock.ts';
import type { LimitVerdict } from '../platform/limits/rate-limiter.ts';

export function refusalOverBudget({ resetsAt }: Pick<LimitVerdict, 'resetsAt'>, clock: Clock, rule: string): MarketError {
  const seconds = Math.max(1, Math.ceil((resetsAt.getTime() - clock.now().getTime()) / 1000));
  return new MarketError('too_many_requests', { message: `${rule} Try again in ${seconds} s.`, retryAfterSeconds: seconds });
}
