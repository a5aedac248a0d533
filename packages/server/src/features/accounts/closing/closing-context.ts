import type { NetworkName } from '@market/contract';
import type { Chain } from '../../../platform/chains/chain.ts';
import type { Clock } from '../../../platform/clock/clock.ts';
import type { Database } from '../../../platform/db/database.ts';
import type { EventLog } from '../../../platform/events/event-log.ts';
import type { SecretBox } from '../../../platform/secrets/secret-box.ts';
import type { Logger } from '../../../platform/telemetry/logger.ts';

export interface ClosingContext {
  readonly database: Database;
  readonly clock: Clock;
  readonly events: EventLog;
  readonly secrets: SecretBox;
  readonly log: Logger;
  readonly chains: ReadonlyMap<NetworkName, Chain>;
  /** How long a move waits when only an account vouches for it. */
  readonly payoutChangeDelaySeconds: number;
}
