/** Dependencies of this feature. */
import type { Database } from '../../platform/db/database.ts';
import type { EventLog } from '../../platform/events/event-log.ts';

export interface ModerationContext {
  readonly database: Database;
  readonly events: EventLog;
}
