import type { NetworkName } from '@market/contract';
import type { Chain } from '../../platform/chains/chain.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import type { Database } from '../../platform/db/database.ts';
import type { EventLog } from '../../platform/events/event-log.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';

export interface PayoutsContext {
  readonly database: Database;
  readonly clock: Clock;
  readonly events: EventLog;
  readonly chains: ReadonlyMap<NetworkName, Chain>;
  readonly log: Logger;
}
