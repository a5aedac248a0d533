/** What venues say, kept for a moment: pages and positions of many callers share one look at the chain. */
import type { NetworkName } from '@market/contract';
import { type Chain, ChainUnavailable } from '../../platform/chains/chain.ts';
import type { VenueReading } from '../../platform/chains/yield-venues.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import type { VaultSetting } from './vault-setting.ts';

export interface KeptReading extends VenueReading {
  readonly readAt: Date;
}

export interface KeptReadings {
  /** Throws `ChainUnavailable`. */
  read(vault: VaultSetting): Promise<KeptReading>;
}

const KEEP_MS = 2_000;

export function createKeptReadings(chains: ReadonlyMap<NetworkName, Chain>, clock: Clock): KeptReadings {
  const kept = new Map<string, { readonly until: number; readonly reading: Promise<KeptReading> }>();

  async function look({ network, at }: VaultSetting): Promise<KeptReading> {
    const venues = chains.get(network)?.venues;
    if (venues === undefined) throw new ChainUnavailable(network, 'no venue can be read');
    return { ...(await venues.read(at)), readAt: clock.now() };
  }

  return {
    read(vault) {
      const known = kept.get(vault.key);
      if (known !== undefined && known.until > performance.now()) return known.reading;
      const reading = look(vault);
      kept.set(vault.key, { until: performance.now() + KEEP_MS, reading });
      reading.catch(() => kept.delete(vault.key));
      return reading;
    },
  };
}
