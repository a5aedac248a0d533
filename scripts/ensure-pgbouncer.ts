// One test puts Debian's pgbouncer between the market and PostgreSQL: found on the PATH, installed from Debian when we may.
import { delimiter, join } from 'node:path';
import { isProgram, runAptGet } from './ensure-chromium.ts';

export const PGBOUNCER_IS_MISSING =
  'The test behind a pooler needs pgbouncer, and it is not on this machine. Install it as root with "apt-get install pgbouncer".';

/** Debian keeps it where only root's PATH leads. */
const SYSTEM_FOLDERS = ['/usr/sbin', '/usr/local/sbin'];

/** The program to start, if there is one. */
export function findPgbouncer({ PATH: path = '' }: NodeJS.ProcessEnv = process.env): string | undefined {
  const folders = [...path.split(delimiter).filter((folder) => folder !== ''), ...SYSTEM_FOLDERS];
  return folders.map((folder) => join(folder, 'pgbouncer')).find(isProgram);
}

/** Installs Debian's package when there is no pgbouncer and we are root; says what to do otherwise. */
export function ensurePgbouncer(say: (message: string) => void): void {
  if (findPgbouncer() !== undefined) return;
  if (process.getuid?.() !== 0) {
    say(PGBOUNCER_IS_MISSING);
    return;
  }
  say('Installing pgbouncer for the test behind a pooler (first run only)…');
  const trouble = runAptGet('update') ?? runAptGet('install', '--yes', '--no-install-recommends', 'pgbouncer');
  if (trouble !== undefined || findPgbouncer() === undefined) say([trouble, PGBOUNCER_IS_MISSING].filter(Boolean).join('\n'));
}
