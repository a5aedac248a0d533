/** Dependencies of this feature. */
import type { Clock } from '../../../platform/clock/clock.ts';
import type { Database } from '../../../platform/db/database.ts';
import type { EventLog } from '../../../platform/events/event-log.ts';
import type { Logger } from '../../../platform/telemetry/logger.ts';

export interface SavedSearchesContext {
  readonly database: Database;
  readonly events: EventLog;
  readonly clock: Clock;
  readonly log: Logger;
  /** Address of the site. */
  readonly appUrl: string;
}
