/** Dependencies of this feature. */
import type { Clock } from '../../../platform/clock/clock.ts';
import type { Database } from '../../../platform/db/database.ts';
import type { EventLog } from '../../../platform/events/event-log.ts';
import type { Logger } from '../../../platform/telemetry/logger.ts';

export interface MovesContext {
  readonly database: Database;
  readonly clock: Clock;
  readonly events: EventLog;
  readonly log: Logger;
  /** How long a move waits when only an account vouches for it. 0: no wait. */
  readonly payoutChangeDelaySeconds: number;
}
