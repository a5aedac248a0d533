/** The database of this deployment: the configured server, or the embedded one in the data folder, started or joined. */
import type { Config } from '../config.ts';
import type { DatabaseOptions } from '../platform/db/database.ts';
import { startEmbeddedPostgres } from '../platform/postgres/embedded-postgres.ts';

export interface ReachedDatabase {
  readonly connection: DatabaseOptions['connection'];
  /** Gives up our share of the embedded server; does nothing for a configured one. */
  release(): Promise<void>;
}

export async function reachDatabase(config: Config, log: (message: string) => void): Promise<ReachedDatabase> {
  if (config.database.url !== undefined) return { connection: { connectionString: config.database.url }, release: async () => undefined };
  const postgres = await startEmbeddedPostgres({ dataDir: config.dataDir, log });
  return { connection: postgres.connection, release: postgres.stop };
}
