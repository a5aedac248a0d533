/**
 * Opens the database of this deployment: the configured server, or the embedded one in the data folder. Starts or joins the embedded server
 * and keeps it running.
 */
import type { Config } from '../config.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../local-postgres/embedded-postgres.ts';
import type { DatabaseOptions } from '../platform/db/database.ts';
import { probeDisk } from '../platform/storage/disk-probe.ts';
import type { Logger } from '../platform/telemetry/logger.ts';
import { keepRunning } from './keep-running.ts';

export interface ReachedDatabase {
  readonly connection: DatabaseOptions['connection'];
  /** The connection for notifications; `mayBePooled` if a pooler may answer instead of PostgreSQL. */
  readonly listening: { readonly connection: DatabaseOptions['connection']; readonly mayBePooled: boolean };
  /** Why the embedded server is not running; undefined while it runs. */
  readonly missing: () => string | undefined;
  /** Releases our hold on the embedded server; does nothing for a configured one. */
  release(): Promise<void>;
}

export interface ReachOptions {
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>;
  /** Called when the embedded server died and cannot be restarted. */
  readonly onGivenUp: (error: Error) => void;
  /** Called when the embedded server's process has started, long before it answers. */
  readonly onLaunched?: () => void;
}

export async function reachDatabase({ database, dataDir }: Config, options: ReachOptions): Promise<ReachedDatabase> {
  const { log, onGivenUp, onLaunched } = options;
  if (database.url !== undefined) {
    return {
      connection: { connectionString: database.url },
      listening: { connection: { connectionString: database.directUrl ?? database.url }, mayBePooled: true },
      missing: () => undefined,
      release: async () => undefined,
    };
  }
  const kept = await keepRunning<EmbeddedPostgres>({
    name: 'PostgreSQL',
    start: (previous) => startAgain({ dataDir, log: (message) => log.info(message), ...(onLaunched && { onLaunched }) }, previous),
    isDiskFull: async () => (await probeDisk(dataDir)) === 'full',
    onGivenUp,
    log,
  });
  return {
    connection: kept.current.connection,
    listening: { connection: kept.current.connection, mayBePooled: false },
    missing: kept.missing,
    async release() {
      await kept.stopKeeping();
      await kept.current.stop();
    },
  };
}

async function startAgain(
  options: Parameters<typeof startEmbeddedPostgres>[0],
  previous: EmbeddedPostgres | undefined,
): Promise<EmbeddedPostgres> {
  const next = await startEmbeddedPostgres({ ...options, mayCreate: previous === undefined });
  if (previous === undefined) return next;
  // Our new hold keeps the server running, so the old one can go.
  await previous.stop();
  const [before, now] = [previous.connection.host, next.connection.host];
  if (before === now) return next;
  await next.stop();
  throw new Error(`PostgreSQL now listens in ${now}, not in ${before}: another process with a different TMPDIR started it.`);
}
