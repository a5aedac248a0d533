/** A database and chains that outlive the processes on them: the test holds both, servers and workers start and end. */

import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { NetworkName } from '@market/contract';
import { openSandboxChains, type SandboxChains } from '@market/sandbox';
import pg from 'pg';
import { localNetworks } from '../../packages/server/src/boot/local-networks.ts';
import { openConfiguredChains } from '../../packages/server/src/boot/open-configured-chains.ts';
import { readConfig } from '../../packages/server/src/config.ts';
import type { PostgresConnection } from '../../packages/server/src/local-postgres/embedded-postgres.ts';
import type { Chain } from '../../packages/server/src/platform/chains/chain.ts';
import { type Database, openDatabase } from '../../packages/server/src/platform/db/database.ts';
import { createLogger } from '../../packages/server/src/platform/telemetry/logger.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import {
  hostServer,
  type ServerChild,
  type ServerProcess,
  type Settings,
  startServer,
  withChains,
  withOwnChains,
} from '../harness/market.ts';
import { workerProgram } from '../harness/programs.ts';
import { type Money, openMoney } from './money.ts';

export interface SharedMoney {
  readonly money: Money;
  readonly database: Database;
  readonly chains: ReadonlyMap<NetworkName, Chain>;
  readonly localChains: SandboxChains;
  readonly feeVault: Chain | undefined;
  startServer(settings?: Settings): Promise<ServerProcess>;
  startWorker(settings?: Settings): Promise<ClaimWorker>;
  /** A copy of the books in a database that may be spoilt. Disconnects all clients of the original. */
  copyBooks(): Promise<{ readonly database: Database; readonly url: string; drop(): Promise<void> }>;
  /** Backs up the books. Disconnects all clients, now and at the restore. */
  backUpBooks(): Promise<{ restore(): Promise<void> }>;
  /** The settings of a process beside the servers: the same database, folder and chains. */
  readonly settings: Settings;
  close(): Promise<void>;
}

/**
 * Uses the chains of the run, unless the test breaks chains or moves their time. `hosted` runs its servers in this process: for tests that
 * crash them at marks or restart them, not for races of processes.
 */
export async function openSharedMoney({ ownChains = false, hosted = false } = {}): Promise<SharedMoney> {
  const testDatabase = await createTestDatabase();
  const dataDir = await mkdtemp(path.join(tmpdir(), 'market-'));
  const settings: Settings = {
    ...(ownChains ? withOwnChains : withChains),
    DATABASE_URL: testDatabase.url,
    DATABASE_POOL_SIZE: '8',
    DATA_DIR: dataDir,
    MASTER_KEY: 'a1'.repeat(32),
    LOG_LEVEL: 'warn',
    RATE_LIMIT_SCALE: '10000',
  };
  const config = readConfig({ environment: settings, terminal: false });
  const { folder, ports } = config.sandboxChains;
  const localChains = await openSandboxChains({ folder, networks: localNetworks(ports), fast: true, log: () => undefined });
  // Attaches to the chains above, with the treasury keys that the servers find in the data folder.
  const attached = await openConfiguredChains(config, createLogger({ level: 'silent', pretty: false }));
  const { chains } = attached;
  const database = openDatabase({ connection: { ...testDatabase.connection }, poolSize: 8, onError: () => undefined });
  const money = await openMoney({ database, chains });
  const children: ServerChild[] = [];
  return {
    money,
    database,
    chains,
    localChains,
    feeVault: attached.feeVault,
    async startServer(more = {}) {
      const server = await (hosted ? hostServer : startServer)({ ...settings, ...more });
      children.push(server.child);
      return server;
    },
    async startWorker(more = {}) {
      const worker = await startWorker({ ...settings, ...more });
      children.push(worker.child);
      return worker;
    },
    copyBooks: () => copyBooks(testDatabase),
    backUpBooks: () => backUpBooks(testDatabase.connection),
    settings,
    async close() {
      for (const child of children) child.kill('SIGKILL');
      money.clock.stop();
      await database.close();
      // An attached process restarts the chains when their owner ends them, so it detaches first.
      await attached.close();
      await localChains.close();
      await testDatabase.drop();
      await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

async function administer(original: PostgresConnection, ...statements: string[]): Promise<void> {
  const client = new pg.Client({ ...original, database: 'postgres' });
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}

/** Copies the database; returns the name of the copy. */
async function duplicate(original: PostgresConnection): Promise<string> {
  const copy = `${original.database}_${randomBytes(4).toString('hex')}`;
  const others = `datname = '${original.database}' and pid <> pg_backend_pid()`;
  await administer(
    original,
    `select pg_terminate_backend(pid, 2000) from pg_stat_activity where ${others}`,
    `create database ${copy} template ${original.database}`,
  );
  return copy;
}

async function backUpBooks(original: PostgresConnection): Promise<{ restore(): Promise<void> }> {
  const copy = await duplicate(original);
  return {
    restore: () =>
      administer(original, `drop database ${original.database} with (force)`, `alter database ${copy} rename to ${original.database}`),
  };
}

async function copyBooks({ connection: original, url }: TestDatabase): ReturnType<SharedMoney['copyBooks']> {
  const copy = await duplicate(original);
  const database = openDatabase({ connection: { ...original, database: copy }, poolSize: 2, onError: () => undefined });
  return {
    database,
    url: url.replace(original.database, copy),
    async drop() {
      await database.close();
      await administer(original, `drop database ${copy} with (force)`);
    },
  };
}

/** Bigints and dates are sent as text. */
export interface WorkerRequest {
  readonly network: NetworkName;
  readonly reference: string;
  readonly expectedMicros: string;
  readonly subjectIds: readonly string[];
}

/** A separate process that presents payments on request. */
export interface ClaimWorker {
  readonly child: ChildProcess;
  /** The outcome of each subject, in their order; `died` if the process ended instead of answering. */
  present(request: WorkerRequest): Promise<readonly string[] | 'died'>;
}

async function startWorker(settings: Settings): Promise<ClaimWorker> {
  const environment = {
    PATH: process.env['PATH'] ?? '',
    HOME: process.env['HOME'] ?? '',
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '',
    ...settings,
  };
  const child = spawn(process.execPath, [workerProgram('money/claim-worker.ts')], { env: environment, stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const died = new Promise<undefined>((resolve) => child.once('exit', () => resolve(undefined)));
  const next = async (): Promise<string | undefined> => await Promise.race([lines.next().then(({ value }) => value), died]);
  if ((await next()) !== 'ready') throw new Error('the worker did not start');
  return {
    child,
    async present(request) {
      child.stdin.write(`${JSON.stringify(request)}\n`);
      const answer = await next();
      return answer === undefined ? 'died' : (JSON.parse(answer) as string[]);
    },
  };
}
