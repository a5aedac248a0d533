/** What `market audit` runs: the settings of the service, its database and its chains, and one report. */

import { openConfiguredChains } from './boot/open-configured-chains.ts';
import { reachDatabase } from './boot/reach-database.ts';
import { loadConfig } from './config.ts';
import { type AuditReport, runAudit } from './features/audit/index.ts';
import { openDatabase } from './platform/db/database.ts';
import { createLogger } from './platform/telemetry/logger.ts';

export type { AuditReport };

export async function auditDeployment(): Promise<AuditReport> {
  const config = loadConfig();
  const log = createLogger({ level: 'error', pretty: config.log.pretty });
  const reached = await reachDatabase(config, { log, onGivenUp: (error) => log.error({ err: error }, 'the database is gone') });
  const database = openDatabase({
    connection: reached.connection,
    poolSize: 3,
    onError: (error) => log.error({ err: error }, 'a database connection broke'),
  });
  try {
    const opened = await openConfiguredChains(config, log);
    try {
      return await runAudit(database, opened.chains).catch(explainMissingTables);
    } finally {
      await opened.close();
    }
  } finally {
    await database.close();
    await reached.release();
  }
}

const UNDEFINED_TABLE = '42P01';

function explainMissingTables(error: unknown): never {
  if ((error as { code?: string }).code !== UNDEFINED_TABLE) throw error;
  throw new Error('There are no books in this database yet. Start the service once, or check DATABASE_URL and DATA_DIR.', { cause: error });
}
