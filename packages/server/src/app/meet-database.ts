/** Before jobs and requests: whether this database was restored since these books were used last. If so, what it gave back ends. */
import type { Config } from '../config.ts';
import { type EndedPowers, isKnownPlace, meetPlace } from '../features/restores/index.ts';
import { createDatabaseClock } from '../platform/clock/database-clock.ts';
import type { Database } from '../platform/db/database.ts';
import { createMarketEvents } from './create-events.ts';

export async function meetDatabase(
  database: Database,
  { payoutChangeDelaySeconds }: Pick<Config, 'payoutChangeDelaySeconds'>,
  { isRestored = false } = {},
): Promise<EndedPowers | undefined> {
  if (!isRestored && (await isKnownPlace(database.db))) return undefined;
  const clock = await createDatabaseClock(database.pool);
  try {
    return await meetPlace({ database, clock, events: createMarketEvents(database), payoutChangeDelaySeconds }, { isRestored });
  } finally {
    clock.stop();
  }
}
