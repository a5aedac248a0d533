/** Opens the settings, database and chains of the deployment for one piece of work of a command beside the service. */
import { type Config, loadConfig } from '../config.ts';
import { requireProfile } from '../platform/db/books-profile-repository.ts';
import { type Database, openDatabase } from '../platform/db/database.ts';
import { createLogger, type Logger } from '../platform/telemetry/logger.ts';
import { type OpenedChains, openConfiguredChains } from './open-configured-chains.ts';
import { reachDatabase } from './reach-database.ts';

export interface Deployment {
  readonly config: Config;
  readonly database: Database;
  readonly log: Logger;
}

export async function withDatabase<T>(work: (deployment: Deployment) => Promise<T>): Promise<T> {
  const config = loadConfig();
  const log = createLogger({ level: 'error', pretty: config.log.pretty });
  const reached = await reachDatabase(config, { log, onGivenUp: (error) => log.error({ err: error }, 'the database is gone') });
  const database = openDatabase({
    connection: reached.connection,
    poolSize: 3,
    onError: (error) => log.error({ err: error }, 'a database connection broke'),
  });
  try {
    await requireProfile(database.db, config.profile);
    return await work({ config, database, log }).catch(explainMissingTables);
  } finally {
    await database.close();
    await reached.release();
  }
}

type Chains = Pick<OpenedChains, 'chains' | 'endpoints' | 'sponsors' | 'feeVault'>;

export async function withChains<T>(work: (deployment: Deployment & Chains) => Promise<T>): Promise<T> {
  return await withDatabase(async (deployment) => {
    const { close, ...opened } = await openConfiguredChains(deployment.config, deployment.log);
    try {
      return await work({ ...deployment, ...opened });
    } finally {
      await close();
    }
  });
}

const UNDEFINED_TABLE = '42P01';

function explainMissingTables(error: unknown): never {
  if ((error as { code?: string }).code !== UNDEFINED_TABLE) throw error;
  throw new Error('There are no books in this database yet. Start the service once, or check DATABASE_URL and DATA_DIR.', { cause: error });
}
