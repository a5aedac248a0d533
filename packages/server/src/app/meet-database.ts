/** Runs before jobs and requests. If a backup was restored since these books were last used, ends the powers that the backup gave back. */
import type { Config } from '../config.ts';
import { type EndedPowers, handleRestore, isSameDatabase } from '../features/restores/index.ts';
import { createDatabaseClock } from '../platform/clock/database-clock.ts';
import type { Database } from '../platform/db/database.ts';
import { createMarketEvents } from './create-events.ts';

export async function meetDatabase(
  database: Database,
  { payoutChangeDelaySeconds }: Pick<Config, 'payoutChangeDelaySeconds'>,
  { isRestored = false } = {},
): Promise<EndedPowers | undefined> {
  if (!isRestored && (await isSameDatabase(database.db))) return undefined;
  const clock = await createDatabaseClock(database.pool);
  try {
    return await handleRestore({ database, clock, events: createMarketEvents(database), payoutChangeDelaySeconds }, { isRestored });
  } finally {
    clock.stop();
  }
}
