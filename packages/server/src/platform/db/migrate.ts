// Migrates a database to the version of the code: forward only, and each migration completely or not at all. Safe when many processes start
// at once.
import type pg from 'pg';
import { type MigrationFile, readMigrationFiles } from './migration-files.ts';

/** A number that no other code of this database uses as a lock. */
const MIGRATION_LOCK = 7_305_114_801;

interface AppliedMigration {
  readonly version: number;
  readonly name: string;
  readonly checksum: string;
}

/** The time limits of requests do not apply to migrations: waiting for another migrator or building an index may take longer. */
const BEGIN = `BEGIN; SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0;
  SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`;

export async function migrate(pool: pg.Pool, folder: string, log: (message: string) => void): Promise<{ applied: string[] }> {
  const files = readMigrationFiles(folder);
  const client = await pool.connect();
  // A connection lost between two statements makes the next statement fail, so this event needs no action.
  client.on('error', () => undefined);
  try {
    const applied: string[] = [];
    for (;;) {
      const file = await applyNext(client, files, log);
      if (file === undefined) return { applied };
      applied.push(file.name);
    }
  } finally {
    // After a failure the connection is in a transaction; closing the connection rolls it back and frees the lock.
    client.release(true);
  }
}

/**
 * One migration per transaction, under a lock of that transaction: behind a pooler such as pgbouncer, the next one gets another session.
 */
async function applyNext(
  client: pg.PoolClient,
  files: readonly MigrationFile[],
  log: (message: string) => void,
): Promise<MigrationFile | undefined> {
  await client.query(BEGIN);
  await client.query(`CREATE TABLE IF NOT EXISTS schema_migrations (
    version integer PRIMARY KEY, name text NOT NULL, checksum text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())`);
  const { rows } = await client.query<AppliedMigration>('SELECT version, name, checksum FROM schema_migrations ORDER BY version');
  for (const applied of rows) refuseUnlessUnchanged(applied, files);
  const file = files[rows.length];
  if (file === undefined) {
    await client.query('COMMIT');
    return undefined;
  }
  log(`applying migration ${file.name}`);
  await apply(client, file);
  return file;
}

function refuseUnlessUnchanged(applied: AppliedMigration, files: readonly MigrationFile[]): void {
  const file = files[applied.version - 1];
  if (file === undefined) {
    throw new Error(`The database is newer than this code: it already has migration ${applied.name}. Run the newer code.`);
  }
  if (file.name !== applied.name || ![file.checksum, ...file.former].includes(applied.checksum)) {
    throw new Error(
      `${file.name} was changed after it was applied as ${applied.name}. Restore the file, and put the change into a new migration at the end.`,
    );
  }
}

async function apply(client: pg.PoolClient, file: MigrationFile): Promise<void> {
  try {
    await client.query(file.sql);
    await client.query('INSERT INTO schema_migrations (version, name, checksum) VALUES ($1, $2, $3)', [
      file.version,
      file.name,
      file.checksum,
    ]);
    await client.query('COMMIT');
  } catch (error) {
    throw new Error(`Migration ${file.name} failed${lineOf(error, file)}: ${messageOf(error)}. Nothing of it was applied.`, {
      cause: error,
    });
  }
}

function lineOf(error: unknown, file: MigrationFile): string {
  const position = error instanceof Error && 'position' in error ? Number(error.position) : Number.NaN;
  // PostgreSQL counts characters, JavaScript counts UTF-16 units.
  return Number.isNaN(position)
    ? ''
    : ` at line ${[...file.sql].slice(0, position - 1).filter((character) => character === '\n').length + 1}`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
