/** The rate limit headers of an answer. */
import type { LimitVerdict } from '../../platform/limits/rate-limiter.ts';

export function limitHeaders({ limit, remaining, resetsAt }: LimitVerdict): Record<string, string> {
  return {
    'X-RateLimit-Limit': String(limit),
    'X-RateLimit-Remaining': String(remaining),
    'X-RateLimit-Reset': String(Math.ceil(resetsAt.getTime() / 1000)),
  };
}
