/** Whether this process can work: its own parts run, and database and disk accept writes. */
import { probeDatabase } from '../platform/db/probe-database.ts';
import { probeDisk } from '../platform/storage/disk-probe.ts';
import type { AppOptions } from './app-options.ts';

export interface ReadinessOptions extends Pick<AppOptions, 'config' | 'database' | 'missingParts'> {
  readonly isStopping: () => boolean;
}

/** Names of the parts that are not ready, with the reason; empty means ready. */
export type Readiness = () => Promise<Record<string, string>>;

/** The probes write, so requests within this time share one result. */
const FRESH_MS = 500;

export function createReadiness({ config, database, missingParts, isStopping }: ReadinessOptions): Readiness {
  let answer: Promise<Record<string, string>> | undefined;
  let askedAt = Number.NEGATIVE_INFINITY;

  async function look(): Promise<Record<string, string>> {
    const missing = Object.fromEntries(Object.entries(missingParts).map(([name, reason]) => [name, reason()]));
    const [ofDatabase, ofDisk] = await Promise.all([
      missing['database'] ?? probeDatabase(database.pool),
      // Uploads are always written here first, wherever they are stored later.
      probeDisk(config.dataDir),
    ]);
    return definedOf({ ...missing, database: ofDatabase, disk: ofDisk });
  }

  return async () => {
    if (isStopping()) return { service: 'shutting down' };
    if (performance.now() - askedAt > FRESH_MS) {
      askedAt = performance.now();
      answer = look();
    }
    return (await answer) ?? {};
  };
}

function definedOf(reasons: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(Object.entries(reasons).filter((entry): entry is [string, string] => entry[1] !== undefined));
}
