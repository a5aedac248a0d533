/** Dependencies of this feature. */
import type { NetworkName } from '@market/contract';
import type { Chain } from '../../platform/chains/chain.ts';
import type { ExplorerPage } from '../../platform/chains/explorer-url.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import type { Database } from '../../platform/db/database.ts';
import type { EventLog } from '../../platform/events/event-log.ts';
import type { PriceSource } from '../../platform/prices/price-source.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';

export interface TokensContext {
  readonly database: Database;
  readonly clock: Clock;
  readonly events: EventLog;
  readonly chains: ReadonlyMap<NetworkName, Chain>;
  /** Undefined: this deployment has no price source. */
  readonly prices: PriceSource | undefined;
  readonly explorerUrl: (network: NetworkName, reference: string, page: ExplorerPage) => string | null;
  readonly serviceName: string;
  readonly log: Logger;
}
