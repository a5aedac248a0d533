// A separate database for every test file, cloned from a migrated template within a few dozen milliseconds.
import { createHash, randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { type PostgresConnection, startEmbeddedPostgres } from '../../packages/server/src/local-postgres/embedded-postgres.ts';
import { isProcessAlive } from '../../packages/server/src/local-postgres/is-process-alive.ts';
import { migrate } from '../../packages/server/src/platform/db/migrate.ts';
import { readMigrationFiles } from '../../packages/server/src/platform/db/migration-files.ts';

const CHECKOUT = fileURLToPath(new URL('../..', import.meta.url));
const MIGRATIONS = join(CHECKOUT, 'packages/server/migrations');
const PREPARATION_LOCK = 7_305_114_802;
const SOURCE_IN_USE = '55006';
const NO_SUCH_DATABASE = '3D000';
const LEAVING_LIMIT_MS = 2_000;

export interface TestDatabase {
  /** Usable as DATABASE_URL. */
  readonly url: string;
  readonly connection: PostgresConnection;
  drop(): Promise<void>;
}

interface TestServer {
  readonly admin: PostgresConnection;
  readonly template: string;
}

/** `empty` creates it without migrations. */
export async function createTestDatabase({ empty = false }: { empty?: boolean } = {}): Promise<TestDatabase> {
  const { admin, template } = await findTestServer();
  const database = `test_${process.pid}_${randomBytes(6).toString('hex')}`;
  await clone(admin, empty ? 'template0' : template, database);
  const address = new URLSearchParams({ host: admin.host, port: String(admin.port), user: admin.user });
  return {
    url: `postgresql:///${database}?${address}`,
    connection: { ...admin, database },
    drop: () => dropWhenLeft(admin, database),
  };
}

/**
 * For the server of one run, which ends with it: tests of durability start their own PostgreSQL. Named statements keep their first plan. By
 * itself PostgreSQL plans each of them five times per connection, a seventh of its work here.
 */
export async function tuneForOneRun(admin: PostgresConnection): Promise<void> {
  await withClient(admin, async (client) => {
    await client.query('ALTER SYSTEM SET fsync = off');
    await client.query('ALTER SYSTEM SET full_page_writes = off');
    await client.query('ALTER SYSTEM SET plan_cache_mode = force_generic_plan');
    await client.query('SELECT pg_reload_conf()');
  });
}

/** Creates the migrated database that test databases are copied from, unless it exists. */
export async function prepareTemplate(admin: PostgresConnection, template: string): Promise<void> {
  await withClient(admin, async (client) => {
    await client.query('SELECT pg_advisory_lock($1)', [PREPARATION_LOCK]);
    const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [template]);
    if (rowCount === 1) return;
    const unfinished = `${template}_unfinished`;
    await client.query(`DROP DATABASE IF EXISTS ${unfinished} WITH (FORCE)`);
    await client.query(`CREATE DATABASE ${unfinished} TEMPLATE template0`);
    await migrateAll({ ...admin, database: unfinished });
    // Nobody may connect, not even autovacuum, because a database in use cannot be copied.
    await client.query(`ALTER DATABASE ${unfinished} WITH ALLOW_CONNECTIONS false`);
    await client.query(`ALTER DATABASE ${unfinished} RENAME TO ${template}`);
  });
}

async function migrateAll(connection: PostgresConnection): Promise<void> {
  if (!existsSync(MIGRATIONS)) return;
  const pool = new pg.Pool({ ...connection, max: 1 });
  try {
    await migrate(pool, MIGRATIONS, () => undefined);
  } finally {
    await pool.end();
  }
}

let testServer: Promise<TestServer> | undefined;

/** The server that the test run started, or our own if a file runs alone. */
function findTestServer(): Promise<TestServer> {
  testServer ??= fromEnvironment() ?? startOwnServer();
  return testServer;
}

function fromEnvironment(): Promise<TestServer> | undefined {
  const { TEST_PG_HOST: host, TEST_PG_PORT: port, TEST_PG_USER: user, TEST_PG_TEMPLATE: template } = process.env;
  if (host === undefined || port === undefined || user === undefined || template === undefined) return undefined;
  return Promise.resolve({ admin: { host, port: Number(port), user, database: 'postgres' }, template });
}

/** One folder per checkout and account, kept between runs; the server ends with the last test process that uses it. */
async function startOwnServer(): Promise<TestServer> {
  const name = createHash('sha256').update(`${process.getuid?.()} ${CHECKOUT}`).digest('hex').slice(0, 12);
  const dataDir = join(tmpdir(), `market-test-${name}`);
  mkdirSync(dataDir, { recursive: true });
  chmodSync(dataDir, 0o755);
  const { connection: admin } = await startEmbeddedPostgres({ dataDir, log: () => undefined });
  const template = `market_template_${fingerprintMigrations()}`;
  await dropAbandoned(admin, template);
  await prepareTemplate(admin, template);
  return { admin, template };
}

function fingerprintMigrations(): string {
  const checksums = existsSync(MIGRATIONS) ? readMigrationFiles(MIGRATIONS).map((file) => `${file.name} ${file.checksum}`) : [];
  return createHash('sha256').update(checksums.join('\n')).digest('hex').slice(0, 12);
}

/** Drops databases of dead test processes, and templates of earlier migrations. */
async function dropAbandoned(admin: PostgresConnection, currentTemplate: string): Promise<void> {
  await withClient(admin, async (client) => {
    await client.query('SELECT pg_advisory_lock($1)', [PREPARATION_LOCK]);
    const { rows } = await client.query<{ datname: string }>('SELECT datname FROM pg_database');
    for (const { datname } of rows) {
      const owner = /^test_(\d+)_/.exec(datname)?.[1];
      const isOldTemplate = datname.startsWith('market_template_') && datname !== currentTemplate;
      if (isOldTemplate || (owner !== undefined && !isProcessAlive(Number(owner))))
        await client.query(`DROP DATABASE ${datname} WITH (FORCE)`);
    }
  });
}

async function clone(admin: PostgresConnection, template: string, database: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run(admin, `CREATE DATABASE ${database} TEMPLATE ${template} STRATEGY FILE_COPY`);
    } catch (error) {
      if (error instanceof pg.DatabaseError && error.code === NO_SUCH_DATABASE) throw templateIsGone(template, error);
      if (!(error instanceof pg.DatabaseError) || error.code !== SOURCE_IN_USE || attempt === 5) throw error;
      await sleep(100);
    }
  }
}

function templateIsGone(template: string, cause: Error): Error {
  return new Error(`${template} is gone: another test run of this checkout ended and took its PostgreSQL along. Start this test again.`, {
    cause,
  });
}

/**
 * A pool that has ended may still have closing connections; terminating those would raise errors in an innocent test.
 * Connections that a test left open are terminated.
 */
async function dropWhenLeft(admin: PostgresConnection, database: string): Promise<void> {
  await withClient(admin, async (client) => {
    for (const deadline = Date.now() + LEAVING_LIMIT_MS; Date.now() < deadline; await sleep(10)) {
      const { rowCount } = await client.query('SELECT 1 FROM pg_stat_activity WHERE datname = $1', [database]);
      if (rowCount === 0) break;
    }
    await client.query(`DROP DATABASE IF EXISTS ${database} WITH (FORCE)`);
  });
}

async function run(connection: PostgresConnection, sql: string): Promise<void> {
  await withClient(connection, (client) => client.query(sql));
}

async function withClient(connection: PostgresConnection, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ ...connection });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
