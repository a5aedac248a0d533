import type { NetworkName } from '@market/contract';
import type { Chain } from '../../../platform/chains/chain.ts';
import type { Clock } from '../../../platform/clock/clock.ts';
import type { Database } from '../../../platform/db/database.ts';
import type { PriceSource } from '../../../platform/prices/price-source.ts';
import type { Logger } from '../../../platform/telemetry/logger.ts';
import type { BriefCache } from './brief-cache.ts';

export interface StatsContext {
  readonly database: Database;
  readonly clock: Clock;
  readonly chains: ReadonlyMap<NetworkName, Chain>;
  readonly log: Logger;
  /** Null where a network has no public explorer. */
  readonly explorerUrl: (network: NetworkName, reference: string) => string | null;
}

export interface CachedStats extends StatsContext {
  readonly cache: BriefCache;
  /** Undefined: this deployment has no price source. */
  readonly prices: PriceSource | undefined;
}
