import type { CredentialChanges } from '../../access/credential-changes.ts';
import type { Database } from '../../platform/db/database.ts';
import type { EventHub } from './event-hub.ts';
import type { StreamPlaces } from './stream-places.ts';

export interface EventsContext {
  readonly database: Database;
  readonly hub: EventHub;
  /** A waiting read holds a place, like an open stream. */
  readonly places: StreamPlaces;
  readonly credentials: CredentialChanges;
}
