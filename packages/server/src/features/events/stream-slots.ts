/** Limits the open streams of this process, because each costs memory and a file handle. */
import { MarketError } from '@market/contract';
import { limitedClient, siteOf } from '../../platform/limits/client-address.ts';

export interface StreamSlots {
  /** Takes a slot and returns the function that releases it. Throws when none is left. */
  take(principal: string, clientAddress: string): () => void;
  readonly taken: number;
}

export interface SlotBounds {
  readonly perCaller: number;
  /** Limit per client address, because one address can use any number of agents and wallets. */
  readonly perAddress: number;
  /** Factor on `perAddress` for all clients of one IPv6 /48 together. */
  readonly siteTimes: number;
  readonly total: number;
}

const RETRY_SECONDS = 10;

export function createStreamSlots({ perCaller, perAddress, siteTimes, total }: SlotBounds): StreamSlots {
  const callers = createCounts();
  const addresses = createCounts();
  let taken = 0;
  return {
    take(principal, clientAddress) {
      const address = limitedClient(clientAddress);
      const site = siteOf(address);
      if (callers.of(principal) >= perCaller)
        throw new MarketError('too_many_streams', { retryAfterSeconds: RETRY_SECONDS, data: { limit: perCaller } });
      if (addresses.of(address) >= perAddress)
        throw new MarketError('too_many_streams', {
          message: `Your network address has ${perAddress} event streams open, as many as one address may. Close one, or read GET /api/events without wait.`,
          retryAfterSeconds: RETRY_SECONDS,
          data: { limit: perAddress },
        });
      if (site !== undefined && addresses.of(site) >= perAddress * siteTimes)
        throw new MarketError('too_many_streams', {
          message: `The clients of your /48 have ${perAddress * siteTimes} event streams open, as many as one /48 may. Read GET /api/events without wait.`,
          retryAfterSeconds: RETRY_SECONDS,
          data: { limit: perAddress * siteTimes },
        });
      if (taken >= total) throw new MarketError('streams_full', { retryAfterSeconds: RETRY_SECONDS });
      taken += 1;
      callers.add(principal, 1);
      addresses.add(address, 1);
      if (site !== undefined) addresses.add(site, 1);
      let given = false;
      return () => {
        if (given) return;
        given = true;
        taken -= 1;
        callers.add(principal, -1);
        addresses.add(address, -1);
        if (site !== undefined) addresses.add(site, -1);
      };
    },
    get taken() {
      return taken;
    },
  };
}

/** Drops entries whose count is zero. */
function createCounts() {
  const counts = new Map<string, number>();
  const of = (name: string): number => counts.get(name) ?? 0;
  return {
    of,
    add(name: string, change: number): void {
      const next = of(name) + change;
      if (next === 0) counts.delete(name);
      else counts.set(name, next);
    },
  };
}
