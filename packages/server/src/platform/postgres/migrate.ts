// Brings a database up to the code: forward only, each migration whole or not at all, safe when many processes start at once.
import type pg from 'pg';
import { type MigrationFile, readMigrationFiles } from './migration-files.ts';

/** Any fixed number that nothing else in this database locks. */
const MIGRATION_LOCK = 7_305_114_801;

interface AppliedMigration {
  readonly version: number;
  readonly name: string;
  readonly checksum: string;
}

export async function migrate(pool: pg.Pool, folder: string, log: (message: string) => void): Promise<{ applied: string[] }> {
  const files = readMigrationFiles(folder);
  const client = await pool.connect();
  // A connection lost between two statements shows up as the failure of the next one.
  client.on('error', () => undefined);
  try {
    // The pool's limits are meant for requests; waiting for another migrator or building an index may take longer.
    await client.query('SET statement_timeout = 0; SET lock_timeout = 0; SET idle_in_transaction_session_timeout = 0');
    await client.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    return { applied: await applyMissing(client, files, log) };
  } finally {
    // Closing the connection gives back the lock and the changed limits, also after a failure.
    client.release(true);
  }
}

async function applyMissing(client: pg.PoolClient, files: readonly MigrationFile[], log: (message: string) => void): Promise<string[]> {
  await client.query(`CREATE TABLE IF NOT EXISTS schema_migrations (
    version integer PRIMARY KEY, name text NOT NULL, checksum text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())`);
  const { rows } = await client.query<AppliedMigration>('SELECT version, name, checksum FROM schema_migrations ORDER BY version');
  for (const applied of rows) refuseUnlessUnchanged(applied, files);
  const missing = files.slice(rows.length);
  for (const file of missing) {
    log(`applying migration ${file.name}`);
    await apply(client, file);
  }
  return missing.map((file) => file.name);
}

function refuseUnlessUnchanged(applied: AppliedMigration, files: readonly MigrationFile[]): void {
  const file = files[applied.version - 1];
  if (file === undefined) {
    throw new Error(`The database is newer than this code: it already has migration ${applied.name}. Run the newer code.`);
  }
  if (file.name !== applied.name || file.checksum !== applied.checksum) {
    throw new Error(
      `${file.name} was changed after it was applied as ${applied.name}. Restore the file, and put the change into a new migration at the end.`,
    );
  }
}

async function apply(client: pg.PoolClient, file: MigrationFile): Promise<void> {
  try {
    await client.query('BEGIN');
    await client.query(file.sql);
    await client.query('INSERT INTO schema_migrations (version, name, checksum) VALUES ($1, $2, $3)', [
      file.version,
      file.name,
      file.checksum,
    ]);
    await client.query('COMMIT');
  } catch (error) {
    throw new Error(`Migration ${file.name} failed${placeOf(error, file)}: ${messageOf(error)}. Nothing of it was applied.`, {
      cause: error,
    });
  }
}

function placeOf(error: unknown, file: MigrationFile): string {
  const position = error instanceof Error && 'position' in error ? Number(error.position) : Number.NaN;
  // PostgreSQL counts characters, JavaScript UTF-16 units.
  return Number.isNaN(position)
    ? ''
    : ` at line ${[...file.sql].slice(0, position - 1).filter((character) => character === '\n').length + 1}`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
