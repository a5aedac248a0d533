import type { NetworkName } from '@market/contract';
import type { Chain } from '../../platform/chains/chain.ts';
import type { Clock } from '../../platform/clock/clock.ts';
import type { Database } from '../../platform/db/database.ts';
import type { EventLog } from '../../platform/events/event-log.ts';

export interface PaymentsContext {
  readonly database: Database;
  readonly clock: Clock;
  readonly events: EventLog;
  readonly chains: ReadonlyMap<NetworkName, Chain>;
  /** From this amount on a payment must be final before it counts. */
  readonly finalFromMicros: bigint;
  /** Addresses from which standard payments of others are handed in. */
  readonly relayers: readonly string[];
}
