/** A running market for a test: in this process over its own database, or as separate processes over a shared one. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { NetworkName } from '@market/contract';
import type { SandboxChains } from '@market/sandbox';
import { type App, createApp } from '../../packages/server/src/app.ts';
import { holdFreePort } from '../../packages/server/src/boot/hold-port.ts';
import { type OtherNodes, openConfiguredChains } from '../../packages/server/src/boot/open-configured-chains.ts';
import { readConfig } from '../../packages/server/src/config.ts';
import type { Chain } from '../../packages/server/src/platform/chains/chain.ts';
import { type Database, openDatabase } from '../../packages/server/src/platform/db/database.ts';
import { listenForNotifications } from '../../packages/server/src/platform/db/notifications.ts';
import { createLogger } from '../../packages/server/src/platform/telemetry/logger.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { SERVER } from './programs.ts';

export type Settings = Readonly<Record<string, string>>;

export interface TestMarket {
  readonly url: string;
  readonly database: Database;
  /** Calls operations in this process, without a transport. */
  readonly executor: App['executor'];
  /** Empty unless the settings turn the local chains on (`withChains`). */
  readonly chains: ReadonlyMap<NetworkName, Chain>;
  readonly localChains: SandboxChains | undefined;
  readonly feeVault: Chain | undefined;
  readonly close: () => Promise<void>;
}

export const MASTER_KEY = 'a1'.repeat(32);

/**
 * Limits are out of the way unless a test is about them, and small payouts may open token accounts.
 * A test that computes for long delays the market in its process, so the event loop's delay has no limit.
 */
const DEFAULTS: Settings = {
  RATE_LIMIT_SCALE: '10000',
  MAX_EVENT_LOOP_DELAY_MS: '0',
  LOG_LEVEL: 'silent',
  MASTER_KEY,
  SANDBOX_CHAINS: 'off',
  SANDBOX_DEMO: 'off',
  PAYOUT_ACCOUNT_FROM_USD: '0',
};

/** Own chains at a fast pace and on free ports: for tests that break chains or move their time. */
export const withOwnChains: Settings = { SANDBOX_CHAINS: 'fast', SANDBOX_BASE_PORT: '0', SANDBOX_ALT_PORT: '0', SANDBOX_SOLANA_PORT: '0' };

/** The chains that the whole run shares; a market has its own treasury and wallets. */
export const withChains: Settings = {
  ...withOwnChains,
  ...(process.env['TEST_CHAINS'] !== undefined && { SANDBOX_CHAINS_FOLDER: process.env['TEST_CHAINS'] }),
};

export async function openMarket(settings: Settings = {}, nodes?: OtherNodes): Promise<TestMarket> {
  const opened: (() => Promise<unknown>)[] = [];
  const closeAll = async (): Promise<void> => {
    for (const close of opened.reverse()) await close();
  };
  try {
    return { ...(await open(settings, (close) => opened.push(close), nodes)), close: closeAll };
  } catch (error) {
    // Open resources would keep the test file from ending.
    await closeAll();
    throw error;
  }
}

async function open(
  settings: Settings,
  onClose: (close: () => Promise<unknown>) => void,
  nodes?: OtherNodes,
): Promise<Omit<TestMarket, 'close'>> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'market-'));
  onClose(() => rm(dataDir, { recursive: true, force: true }));
  const testDatabase = await createTestDatabase();
  onClose(testDatabase.drop);
  const config = readConfig({ environment: { ...DEFAULTS, DATA_DIR: dataDir, ...settings }, terminal: false });
  const log = createLogger(config.log);
  const connection = { ...testDatabase.connection };
  const onError = (error: Error): void => log.error({ err: error }, 'a database connection broke');
  const database = openDatabase({ connection, poolSize: 10, onError });
  onClose(database.close);
  const notifications = await listenForNotifications(connection, onError);
  onClose(notifications.close);
  const held = await holdFreePort('127.0.0.1');
  const url = `http://127.0.0.1:${held.port}`;
  try {
    const opened = await openConfiguredChains(config, log, { others: nodes });
    const { chains, localChains, endpoints, sponsors, feeVault, localVenue, missing, missingNetworks, close } = opened;
    onClose(close);
    const app = await createApp({
      config,
      addresses: { baseUrl: config.baseUrl ?? url, appUrl: config.appUrl ?? url, selfUrl: url },
      masterKey: Buffer.from(MASTER_KEY, 'hex'),
      database,
      notifications,
      chains,
      localChains,
      endpoints,
      sponsors,
      feeVault,
      localVenue,
      missingParts: { chains: missing },
      missingNetworks,
      log,
    });
    onClose(app.stop);
    await held.release();
    await app.http.listen({ host: '127.0.0.1', port: held.port });
    if (config.runJobs) await app.startJobs();
    app.startDemo();
    return { url, database, executor: app.executor, chains, localChains, feeVault };
  } finally {
    await held.release();
  }
}

/** What tests use of a child process; `hosted-server.ts` has it, too. */
export type ServerChild = Pick<ChildProcess, 'pid' | 'exitCode' | 'signalCode' | 'stdout' | 'once' | 'kill'>;

export interface ServerProcess {
  readonly url: string;
  readonly child: ServerChild;
  /** Everything that the process wrote to standard error, which is its log. */
  readonly log: () => string;
  kill(signal: NodeJS.Signals): Promise<number | null>;
}

const SERVER_DEFAULTS: Settings = {
  LOG_FORMAT: 'json',
  // Other tests on this machine delay the process, which must not affect its answers.
  MAX_EVENT_LOOP_DELAY_MS: '0',
  PORT: '0',
  SANDBOX_DEMO: 'off',
  PAYOUT_ACCOUNT_FROM_USD: '0',
};

/** Starts the real server as a process and waits for its `ready` line. */
export async function startServer(settings: Settings, program: string | readonly string[] = SERVER): Promise<ServerProcess> {
  const environment = {
    PATH: process.env['PATH'] ?? '',
    HOME: process.env['HOME'] ?? '',
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '',
    ...SERVER_DEFAULTS,
    ...settings,
  };
  const child = spawn(process.execPath, [program].flat(), { env: environment, stdio: ['ignore', 'pipe', 'pipe'], cwd: tmpdir() });
  let log = '';
  child.stderr.on('data', (chunk: Buffer) => {
    log += chunk.toString();
  });
  const ended = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const ready = /^ready (\S+)$/.exec(line)?.[1];
      if (ready !== undefined) resolve(ready);
    });
    void ended.then((code) => reject(new Error(`the server ended with ${code} before it was ready:\n${log}`)));
  });
  return {
    url,
    child,
    log: () => log,
    async kill(signal) {
      child.kill(signal);
      return await ended;
    },
  };
}

/** Starts the same server in this process: for tests that crash servers at marks or start many of them (`hosted-server.ts`). */
export async function hostServer(settings: Settings): Promise<ServerProcess> {
  const { startHostedServer } = await import('./hosted-server.ts');
  return await startHostedServer({ ...SERVER_DEFAULTS, ...settings });
}

export interface SharedMarket {
  readonly database: TestDatabase;
  readonly servers: readonly ServerProcess[];
  readonly settings: Settings;
  close(): Promise<void>;
}

/** Several server processes on one database and one data folder. */
export async function startServers(count: number, settings: Settings = {}): Promise<SharedMarket> {
  const database = await createTestDatabase();
  const dataDir = await mkdtemp(path.join(tmpdir(), 'market-'));
  const shared = { ...DEFAULTS, LOG_LEVEL: 'warn', DATA_DIR: dataDir, DATABASE_URL: database.url, DATABASE_POOL_SIZE: '8', ...settings };
  const servers = await Promise.all(Array.from({ length: count }, () => startServer(shared)));
  return {
    database,
    servers,
    settings: shared,
    async close() {
      await Promise.all(servers.map((server) => server.kill('SIGKILL')));
      await database.drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** Below the ephemeral ports of the system: no other process takes one before it is listened on. */
const CHOSEN_PORTS = { from: 20_000, count: 12_000 };

/** A port for servers that need the same address again after they were killed. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = CHOSEN_PORTS.from + Math.floor(Math.random() * CHOSEN_PORTS.count);
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer();
  return await new Promise((resolve) => {
    probe.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
