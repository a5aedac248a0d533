/** The server as a process, as `npm start` runs it, on its own database. The load comes from another process, as in production. */
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Database, openDatabase } from '../../packages/server/src/platform/db/database.ts';
import { createTestDatabase } from '../../test/harness/database.ts';
import { MASTER_KEY, type ServerProcess, type Settings, startServer, withChains } from '../../test/harness/market.ts';
import { NPM_START, SERVER } from '../../test/harness/programs.ts';

export interface StageOptions {
  /** Benchmarks that fill a stage with their own content keep it apart by a name. */
  readonly name?: string;
  readonly settings?: Settings;
  readonly chains?: boolean;
  /** Flags of Node for the server's process. */
  readonly nodeFlags?: readonly string[];
}

export interface Stage {
  readonly url: string;
  readonly server: ServerProcess;
  readonly database: Database;
  /** Resident memory of the server's process, in MB. */
  memory(): number;
  close(): Promise<void>;
}

export async function openStage({ settings = {}, chains = false, nodeFlags = [] }: StageOptions, smoke: boolean): Promise<Stage> {
  const database = await createTestDatabase();
  const dataDir = await mkdtemp(path.join(tmpdir(), 'market-bench-'));
  const all: Settings = {
    ...(chains ? withChains : { SANDBOX_CHAINS: 'off' }),
    DATABASE_URL: database.url,
    DATA_DIR: dataDir,
    MASTER_KEY,
    LOG_LEVEL: 'warn',
    RATE_LIMIT_SCALE: '1000000',
    ...settings,
  };
  // The test run has bundled the server already; a full run measures `npm start`.
  const program = smoke ? [SERVER] : NPM_START;
  const server = await startServer(all, [...nodeFlags, ...program]);
  const own = openDatabase({ connection: { ...database.connection }, poolSize: 20, onError: () => undefined });
  return {
    url: server.url,
    server,
    database: own,
    memory: () => readMemory(server.child.pid),
    async close() {
      await own.close();
      await server.kill('SIGTERM');
      await database.drop();
      await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

function readMemory(pid: number | undefined): number {
  const kilobytes = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) / 1024;
}
