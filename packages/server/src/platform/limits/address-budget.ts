/**
 * A budget per client address in the memory of this process, for work whose count is not worth a round trip. Each process of a deployment
 * counts alone. IPv6 counts by its /64 and, with a larger budget, by its /48.
 */
import { limitedClient, siteOf } from './client-address.ts';

export interface BudgetVerdict {
  readonly allowed: boolean;
  /** Number of full-cost requests left. */
  readonly remaining: number;
  readonly resetsInMs: number;
}

export interface AddressBudget {
  /** Subtracts `cost` from the budget; a refusal subtracts nothing. */
  take(clientAddress: string, cost: number): BudgetVerdict;
}

export interface AddressBudgetOptions {
  readonly budget: number;
  readonly windowMs: number;
  /** The budget of an IPv6 /48, as a multiple of the budget of one /64. */
  readonly siteTimes: number;
  readonly now?: () => number;
}

interface Window {
  used: number;
  readonly endsAt: number;
}

const MOST_WINDOWS = 50_000;

export function createAddressBudget({ budget, windowMs, siteTimes, now = () => performance.now() }: AddressBudgetOptions): AddressBudget {
  /** All windows have the same length, so the one that ends first comes first. */
  const windows = new Map<string, Window>();

  function windowOf(name: string, time: number): Window {
    const open = windows.get(name);
    if (open !== undefined && open.endsAt > time) return open;
    const begun = { used: 0, endsAt: time + windowMs };
    windows.delete(name);
    windows.set(name, begun);
    for (const [oldest, { endsAt }] of windows) {
      if (endsAt > time && windows.size <= MOST_WINDOWS) break;
      windows.delete(oldest);
    }
    return begun;
  }

  return {
    take(clientAddress, cost) {
      const time = now();
      const client = limitedClient(clientAddress);
      const site = siteOf(client);
      const own = windowOf(client, time);
      const shared = site === undefined ? undefined : windowOf(site, time);
      const left = (): number => Math.min(budget - own.used, shared === undefined ? budget : budget * siteTimes - shared.used);
      const allowed = left() >= cost;
      if (allowed) {
        own.used += cost;
        if (shared !== undefined) shared.used += cost;
      }
      const endsAt = shared !== undefined && budget - own.used >= cost && !allowed ? shared.endsAt : own.endsAt;
      return { allowed, remaining: Math.max(0, Math.floor(left())), resetsInMs: endsAt - time };
    },
  };
}
