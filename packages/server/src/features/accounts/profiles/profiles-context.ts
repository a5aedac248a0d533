import type { ShownPictures } from '../../../access/shown-pictures.ts';
import type { Clock } from '../../../platform/clock/clock.ts';
import type { Database } from '../../../platform/db/database.ts';

export interface ProfilesContext {
  readonly database: Database;
  readonly clock: Clock;
  /** Publishes uploaded avatars. */
  readonly files: ShownPictures;
}
