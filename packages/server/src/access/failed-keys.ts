/**
 * Counts wrong API keys per client address. Beyond the budget, keys from that address are not looked up, except keys that worked before. So
 * an agent that shares its address with an attacker keeps working.
 */
import type { RateLimit } from '@market/contract';
import type { Clock } from '../platform/clock/clock.ts';
import { limitedClient } from '../platform/limits/client-address.ts';
import type { LimitVerdict, RateLimiter } from '../platform/limits/rate-limiter.ts';
import { refusalOverBudget } from './over-budget.ts';

export interface FailedKeys {
  /** Throws when the address has used up its budget and the key did not work here recently. */
  requireBudget(clientAddress: string, keyHash: Buffer): void;
  /** Counts a wrong key; throws when it exceeds the budget. */
  countFailure(clientAddress: string): Promise<void>;
  rememberGood(keyHash: Buffer): void;
}

const MOST_REMEMBERED = 10_000;
const BUDGET = 'wrong API keys';

export function createFailedKeys({ limiter, limit, clock }: { limiter: RateLimiter; limit: RateLimit; clock: Clock }): FailedKeys {
  const blocked = new Map<string, LimitVerdict>();
  const good = new Set<string>();
  const refuse = (verdict: LimitVerdict) =>
    refusalOverBudget(verdict, clock, `Your address tried more than ${verdict.limit} wrong API keys within a minute.`);
  return {
    requireBudget(clientAddress, keyHash) {
      const client = limitedClient(clientAddress);
      const verdict = blocked.get(client);
      if (verdict === undefined || good.has(keyHash.toString('base64'))) return;
      if (verdict.resetsAt > clock.now()) throw refuse(verdict);
      blocked.delete(client);
    },
    async countFailure(clientAddress) {
      const client = limitedClient(clientAddress);
      const verdict = await limiter.hit(BUDGET, client, limit);
      if (verdict.allowed) return;
      if (blocked.size >= MOST_REMEMBERED) blocked.clear();
      blocked.set(client, verdict);
      throw refuse(verdict);
    },
    rememberGood(keyHash) {
      if (good.size >= MOST_REMEMBERED) good.clear();
      good.add(keyHash.toString('base64'));
    },
  };
}
