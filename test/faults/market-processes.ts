/** Server processes that share only a database, as they would behind one public address. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { createTestDatabase } from '../harness/database.ts';
import { freePort, type ServerProcess, type Settings, startServer } from '../harness/market.ts';

/** The host of the public address. */
export const FAMILY_HOST = 'market.localhost:4020';

export interface ProcessFamily {
  readonly database: pg.Client;
  readonly databaseUrl: string;
  readonly dataDir: string;
  /** Starts another process; the returned `url` is its own, not the shared address. */
  start(settings?: Settings): Promise<ServerProcess>;
  close(): Promise<void>;
}

export async function openFamily({ empty = false }: { empty?: boolean } = {}): Promise<ProcessFamily> {
  const testDatabase = await createTestDatabase({ empty });
  const dataDir = await mkdtemp(path.join(tmpdir(), 'market-'));
  const database = new pg.Client({ ...testDatabase.connection });
  await database.connect();
  const started: ServerProcess[] = [];
  const shared: Settings = {
    BASE_URL: `http://${FAMILY_HOST}`,
    DATABASE_URL: testDatabase.url,
    DATABASE_POOL_SIZE: '8',
    DATA_DIR: dataDir,
    LOG_LEVEL: 'warn',
    RATE_LIMIT_SCALE: '10000',
    SANDBOX_CHAINS: 'off',
  };
  return {
    database,
    databaseUrl: testDatabase.url,
    dataDir,
    async start(settings = {}) {
      const port = await freePort();
      const server = { ...(await startServer({ ...shared, PORT: String(port), ...settings })), url: `http://127.0.0.1:${port}` };
      started.push(server);
      return server;
    },
    async close() {
      await Promise.all(started.map((server) => server.kill('SIGKILL')));
      await database.end();
      await testDatabase.drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
