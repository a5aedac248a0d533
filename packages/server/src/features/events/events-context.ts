import type { CredentialChanges } from '../../access/credential-changes.ts';
import type { Database } from '../../platform/db/database.ts';
import type { EventHub } from './event-hub.ts';
import type { StreamSlots } from './stream-slots.ts';

export interface EventsContext {
  readonly database: Database;
  readonly hub: EventHub;
  /** Slots for open streams; a waiting read takes one, too. */
  readonly slots: StreamSlots;
  readonly credentials: CredentialChanges;
}
