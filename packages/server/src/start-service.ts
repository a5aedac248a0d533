/** One service from its settings: database, migrations, chains, application, port. `serve.ts` is the process around it. */
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { App } from './app.ts';
import { holdFreePort } from './boot/hold-port.ts';
import { keepLocalChains, wantsLocalChains } from './boot/keep-local-chains.ts';
import type { OpenedChains } from './boot/open-configured-chains.ts';
import { type ReachedDatabase, reachDatabase } from './boot/reach-database.ts';
import type { Config } from './config.ts';
import { claimProfile, requireProfile } from './platform/db/books-profile-repository.ts';
import { type Database, openDatabase } from './platform/db/database.ts';
import { migrate } from './platform/db/migrate.ts';
import { listenForNotifications, type Notifications } from './platform/db/notifications.ts';
import { openMasterKeyHolder } from './platform/secrets/master-keys.ts';
import type { Logger } from './platform/telemetry/logger.ts';

const MIGRATIONS = path.join(import.meta.dirname, '..', 'migrations');
/** Longer than the sandbox's chains take to restart on a busy machine if they died during the start. */
const READY_LIMIT_MS = 60_000;
const READY_PAUSE_MS = 250;

/** What has started so far. */
export interface Running {
  reached?: ReachedDatabase;
  database?: Database;
  notifications?: Notifications;
  opening?: Promise<OpenedChains>;
  app?: App;
}

export interface Started {
  readonly app: App;
  /** The public address. */
  readonly baseUrl: string;
  /** The address at which this process listens. */
  readonly selfUrl: string;
}

/**
 * Starts everything in order. `running` holds what has started so far, so that the caller can stop a start that failed.
 * `onGivenUp` is called when a part that this process runs itself died and cannot be restarted.
 */
export async function startService(config: Config, log: Logger, running: Running, onGivenUp: (error: Error) => void): Promise<Started> {
  // The processes of the chains and of PostgreSQL start first: meanwhile this process loads its remaining code.
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
  await requireProfile(database.db, config.profile);
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
  // Only now: a start that failed before leaves new books to the other profile.
  await claimProfile(database.db, config.profile);
  await held?.release();
  await app.http.listen({ host: config.host, port });
  if (config.runJobs) await app.startJobs();
  await requireReady(app);
  log.info({ profile: config.profile, url: baseUrl, reference: `${baseUrl}/reference` }, 'the market is open');
  return { baseUrl, selfUrl, app };
}

/** The ready line promises that the service answers, so check that first. On a busy machine a part may need a moment. */
async function requireReady(app: App): Promise<void> {
  for (const giveUpAt = performance.now() + READY_LIMIT_MS; ; await sleep(READY_PAUSE_MS)) {
    const unready = Object.entries(await app.unreadyParts()).map(([name, reason]) => `${name} (${reason})`);
    if (unready.length === 0) return;
    if (performance.now() > giveUpAt) throw new Error(`not ready: ${unready.join(', ')}`);
  }
}

/** Stops in the reverse order of the start; a part that fails to stop does not keep the others from stopping. */
export async function stopService({ app, opening, notifications, database, reached }: Running, log: Logger): Promise<void> {
  for (const stop of [app?.stop, async () => await (await opening)?.close(), notifications?.close, database?.close, reached?.release]) {
    await stop?.().catch((error: unknown) => log.error({ err: error }, 'a part did not stop cleanly'));
  }
}
