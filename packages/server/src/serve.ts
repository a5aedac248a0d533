/** Reads the settings, brings everything up in order, says `ready`, and takes it down again on a signal. */
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { App } from './app.ts';
import { holdFreePort } from './boot/hold-port.ts';
import { keepLocalChains, wantsLocalChains } from './boot/keep-local-chains.ts';
import type { OpenedChains } from './boot/open-configured-chains.ts';
import { type ReachedDatabase, reachDatabase } from './boot/reach-database.ts';
import { type Config, ConfigError, loadConfig } from './config.ts';
import { armCrashPoint } from './platform/crash-points.ts';
import { type Database, openDatabase } from './platform/db/database.ts';
import { migrate } from './platform/db/migrate.ts';
import { listenForNotifications, type Notifications } from './platform/db/notifications.ts';
import { openMasterKeyHolder } from './platform/secrets/master-keys.ts';
import { createLogger, type Logger } from './platform/telemetry/logger.ts';

const MIGRATIONS = path.join(import.meta.dirname, '..', 'migrations');
const STOP_DEADLINE_MS = 9_500;
/** Longer than the sandbox's chains need on a busy machine when they died during the start. */
const READY_LIMIT_MS = 60_000;
const READY_PAUSE_MS = 250;

interface Running {
  reached?: ReachedDatabase;
  database?: Database;
  notifications?: Notifications;
  opening?: Promise<OpenedChains>;
  app?: App;
}

async function main(): Promise<void> {
  const config = loadConfig();
  const log = createLogger(config.log);
  armCrashPoint(config.crashAt);
  const running: Running = {};
  stopOnSignals(running, log);
  const fail = async (error: unknown, message: string): Promise<void> => {
    log.fatal({ err: error }, message);
    setTimeout(() => process.exit(1), STOP_DEADLINE_MS).unref();
    await takeDown(running, log);
    process.exit(1);
  };
  try {
    await start(config, log, running, (error) => void fail(error, 'the service cannot go on and ends'));
  } catch (error) {
    await fail(error, 'the service could not start');
  }
}

/** `onGivenUp` is called when a part that this process runs itself died and cannot be brought back. */
async function start(config: Config, log: Logger, running: Running, onGivenUp: (error: Error) => void): Promise<void> {
  // The processes of the chains and of PostgreSQL start first: while they come up, this one loads the rest of itself.
  const local = wantsLocalChains(config) ? keepLocalChains(config, { log, onGivenUp }) : undefined;
  const launched = Promise.withResolvers<void>();
  const reaching = reachDatabase(config, { log, onGivenUp, onLaunched: launched.resolve });
  for (const started of [local, reaching]) started?.catch(() => undefined);
  await Promise.race([launched.promise, reaching]);
  const [{ openConfiguredChains }, { createApp }, { meetDatabase }] = await Promise.all([
    import('./boot/open-configured-chains.ts'),
    import('./app.ts'),
    import('./app/meet-database.ts'),
  ]);
  const opening = openConfiguredChains(config, log, { local });
  opening.catch(() => undefined);
  running.opening = opening;
  running.reached = await reaching;
  const { connection, listening } = running.reached;
  const onError = (error: Error): void => log.error({ err: error }, 'a database connection broke');
  const database = openDatabase({ connection, poolSize: config.database.poolSize, onError });
  running.database = database;
  await migrate(database.pool, MIGRATIONS, (message) => log.info(message));
  const ended = await meetDatabase(database, config);
  if (ended !== undefined)
    log.warn(ended, 'the database was restored: sessions, tokens and changes that waited ended; run market reconcile');
  const onDeaf = (): void =>
    log.warn(
      'notifications do not come through a pooler in transaction mode: changes are polled for. Set DATABASE_DIRECT_URL to hear of them',
    );
  const announcers = listening.mayBePooled ? { pool: database.pool, onDeaf } : undefined;
  running.notifications = await listenForNotifications(listening.connection, onError, announcers);

  const held = config.port === 0 ? await holdFreePort(config.host) : undefined;
  const port = held?.port ?? config.port;
  const selfUrl = `http://${config.host === '0.0.0.0' || config.host === '::' ? '127.0.0.1' : config.host}:${port}`;
  const baseUrl = config.baseUrl ?? selfUrl;
  const { current: masterKey, previous: formerKeys } = await openMasterKeyHolder(config).readKeys();
  const { chains, localChains, endpoints, sponsors, feeVault, localVenue, missing: missingChains, missingNetworks } = await opening;
  const app = await createApp({
    config,
    addresses: { baseUrl, appUrl: config.appUrl ?? baseUrl, selfUrl },
    masterKey,
    formerKeys,
    database,
    notifications: running.notifications,
    chains,
    localChains,
    endpoints,
    sponsors,
    feeVault,
    localVenue,
    missingParts: { database: running.reached.missing, chains: missingChains },
    missingNetworks,
    onGivenUp,
    log,
  });
  running.app = app;
  await held?.release();
  await app.http.listen({ host: config.host, port });
  if (config.runJobs) await app.startJobs();
  await requireReady(app);
  log.info({ profile: config.profile, url: baseUrl, reference: `${baseUrl}/reference` }, 'the market is open');
  process.stdout.write(`ready ${baseUrl}\n`);
  if (config.runJobs) app.startDemo();
}

/** The ready line is a promise that the service answers, so it is asked first. On a busy machine a part may need a moment. */
async function requireReady(app: App): Promise<void> {
  for (const giveUpAt = performance.now() + READY_LIMIT_MS; ; await sleep(READY_PAUSE_MS)) {
    const unready = Object.entries(await app.unreadyParts()).map(([name, reason]) => `${name} (${reason})`);
    if (unready.length === 0) return;
    if (performance.now() > giveUpAt) throw new Error(`not ready: ${unready.join(', ')}`);
  }
}

function stopOnSignals(running: Running, log: Logger): void {
  let stopping = false;
  const stop = (signal: NodeJS.Signals): void => {
    if (stopping) return;
    stopping = true;
    log.info({ signal }, 'stopping');
    setTimeout(() => {
      log.error('stopping took too long');
      process.exit(1);
    }, STOP_DEADLINE_MS).unref();
    void takeDown(running, log).then(() => process.exit(0));
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}

/** In the opposite order of coming up; a part that fails to stop does not keep the others from stopping. */
async function takeDown({ app, opening, notifications, database, reached }: Running, log: Logger): Promise<void> {
  for (const stop of [app?.stop, async () => await (await opening)?.close(), notifications?.close, database?.close, reached?.release]) {
    await stop?.().catch((error: unknown) => log.error({ err: error }, 'a part did not stop cleanly'));
  }
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof ConfigError ? error.message : String(error)}\n`);
  process.exit(1);
});
