// An embedded PostgreSQL, started from an npm package. All processes that use the same folder share it; it stops when the last one ends.
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { endUnsupervisedServer, ensureCluster, FIRST_DATABASE, hasCluster, readServerPid, SUPERUSER } from './database-cluster.ts';
import { acquireExclusiveLock } from './exclusive-lock.ts';
import { isProcessAlive } from './is-process-alive.ts';
import { giveToAccount } from './postgres-account.ts';
import { findPostgresBinaries } from './postgres-binaries.ts';
import { openPostgresLayout, type PostgresLayout } from './postgres-layout.ts';
import { launchSupervised, readLastWords } from './postgres-supervisor.ts';
import { hasHolders, hasSupervisor, joinHolders, type SharedHold } from './shared-hold.ts';
import { chooseSocketFolder, prepareSocketFolder, readSocketFolder, removeSocketFolder, SOCKET_PORT } from './socket-folder.ts';

const START_LIMIT_MS = 120_000;
const STOP_LIMIT_MS = 8_000;
const START_ATTEMPTS = 3;
const CONNECT_LIMIT_MS = 5_000;
const LOOK_EVERY_MS = 200;

export interface PostgresConnection {
  /** The folder of the Unix socket. */
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
}

export interface EmbeddedPostgres {
  readonly connection: PostgresConnection;
  readonly version: string;
  /** True when the server was already running. */
  readonly attached: boolean;
  /** Resolves when the server has ended, for any reason. */
  readonly ended: Promise<void>;
  /** Releases our hold; if it was the last one, waits until the server has stopped. */
  stop(): Promise<void>;
}

interface StartOptions {
  readonly dataDir: string;
  readonly log: (message: string) => void;
  /** Called when the server's process has started, long before it answers. */
  readonly onLaunched?: () => void;
  /** False where a database must already exist: a missing one is then an error, not a first start. */
  readonly mayCreate?: boolean;
}

interface Start {
  readonly layout: PostgresLayout;
  readonly deadline: number;
  readonly log: (message: string) => void;
  readonly onLaunched: () => void;
  readonly mayCreate: boolean;
}

interface JoinedServer {
  readonly hold: SharedHold;
  readonly connection: PostgresConnection;
  readonly version: string;
}

export async function startEmbeddedPostgres(options: StartOptions): Promise<EmbeddedPostgres> {
  const { dataDir, log, onLaunched = () => undefined, mayCreate = true } = options;
  const start: Start = { layout: openPostgresLayout(dataDir), deadline: Date.now() + START_LIMIT_MS, log, onLaunched, mayCreate };
  const running = await joinServer(start);
  return running === undefined ? startOrJoin(start) : attachedTo(start, running);
}

/** One process at a time may start the server; the others wait, then find it running. */
async function startOrJoin(start: Start): Promise<EmbeddedPostgres> {
  const { layout, deadline, log } = start;
  const lock = await acquireExclusiveLock(layout.startLock, deadline, () => log('waiting for another process that is starting PostgreSQL'));
  try {
    giveToAccount(layout.account, layout.startLock);
    const running = await joinServer(start);
    return running === undefined ? await startServer(start) : attachedTo(start, running);
  } finally {
    lock.release();
  }
}

async function startServer(start: Start): Promise<EmbeddedPostgres> {
  const { layout, log } = start;
  const binaries = await findPostgresBinaries(layout, log);
  await endUnsupervisedServer(layout, chooseSocketFolder(layout), log);
  if (!start.mayCreate && !hasCluster(layout)) throw new Error(`The database in ${layout.data} is gone. Restore it from a backup.`);
  await ensureCluster(layout, binaries, log);
  log(`starting PostgreSQL ${binaries.version}`);
  // Retried, because processes of a crashed server may hold its memory a moment longer. Also, a process that has just stopped the server
  // removes the socket's folder.
  for (let attempt = 1; attempt <= START_ATTEMPTS; attempt += 1) {
    const joining = launchSupervised(layout, binaries, prepareSocketFolder(layout));
    start.onLaunched();
    const hold = await joining;
    const server = hold === undefined ? undefined : await waitUntilReady(start, hold);
    if (server !== undefined) return describe(start, server, false);
    await sleep(500);
  }
  throw new Error(`PostgreSQL ended while starting. The end of its log in ${layout.log}:\n${readLastWords(layout)}`);
}

async function joinServer(start: Start): Promise<JoinedServer | undefined> {
  const hold = await joinHolders(start.layout.holdPipe, start.layout.run);
  return hold === undefined ? undefined : waitUntilReady(start, hold);
}

function attachedTo(start: Start, server: JoinedServer): EmbeddedPostgres {
  start.log(`using the PostgreSQL ${server.version} that is already running`);
  return describe(start, server, true);
}

function describe({ layout, log }: Start, { hold, connection, version }: JoinedServer, attached: boolean): EmbeddedPostgres {
  let stopping: Promise<void> | undefined;
  const stop = async () => {
    const pid = readServerPid(layout);
    hold.release();
    const end = pid === undefined ? 'stopped' : await waitUntilStopped(layout, pid);
    if (end === 'stopped') removeSocketFolder(layout, connection.host);
    if (end === 'still stopping') log(`PostgreSQL has not stopped within ${STOP_LIMIT_MS / 1000} s; it goes on stopping`);
  };
  return {
    connection,
    version,
    attached,
    ended: whenGone(layout),
    stop: () => {
      stopping ??= stop();
      return stopping;
    },
  };
}

/** Polls, because a process that only joined gets no exit event of the server. A poll is one system call. */
async function whenGone(layout: PostgresLayout): Promise<void> {
  while (hasSupervisor(layout.holdPipe)) await sleep(LOOK_EVERY_MS, undefined, { ref: false });
}

async function waitUntilStopped(layout: PostgresLayout, pid: number): Promise<'stopped' | 'used by others' | 'still stopping'> {
  const deadline = Date.now() + STOP_LIMIT_MS;
  while (Date.now() < deadline) {
    if (!isProcessAlive(pid)) return 'stopped';
    if (hasHolders(layout.holdPipe)) return 'used by others';
    await sleep(20);
  }
  return 'still stopping';
}

/** Undefined when the server ended meanwhile. Recovery after a crash may take a while: until then the server refuses connections. */
async function waitUntilReady({ layout, deadline }: Start, hold: SharedHold): Promise<JoinedServer | undefined> {
  const connection: PostgresConnection = { host: readSocketFolder(layout), port: SOCKET_PORT, user: SUPERUSER, database: FIRST_DATABASE };
  for (;;) {
    const reply = await askVersion(connection);
    if (typeof reply === 'string') return { hold, connection, version: reply };
    if (!hasSupervisor(layout.holdPipe)) {
      hold.release();
      return undefined;
    }
    if (Date.now() > deadline) {
      hold.release();
      throw new Error(`PostgreSQL did not accept connections within ${START_LIMIT_MS / 1000} s. Its log is in ${layout.log}.`, {
        cause: reply,
      });
    }
    await sleep(25);
  }
}

async function askVersion(connection: PostgresConnection): Promise<string | Error> {
  const client = new pg.Client({ ...connection, ssl: false, connectionTimeoutMillis: CONNECT_LIMIT_MS });
  // A server that ends between two queries must not end this process.
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ version: string }>("SELECT split_part(current_setting('server_version'), ' ', 1) AS version");
    return rows[0]?.version ?? '';
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  } finally {
    await client.end().catch(() => undefined);
  }
}
