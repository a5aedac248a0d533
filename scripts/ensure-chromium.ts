// The browser tests drive the Chromium of the system: found on the PATH (or where CHROMIUM says), installed from Debian when we may.
import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];
const INSTALL_LIMIT_MS = 300_000;

export const CHROMIUM_IS_MISSING =
  'The browser tests need Chromium, and it is not on this machine. Install it as root with "apt-get install chromium", ' +
  'or set CHROMIUM to the path of a Chromium or Chrome.';

/** The program to start, if there is one. */
export function findChromium(environment: NodeJS.ProcessEnv = process.env): string | undefined {
  const { CHROMIUM: chosen, PATH: path = '' } = environment;
  if (chosen !== undefined && chosen !== '') return isProgram(chosen) ? chosen : undefined;
  const folders = path.split(delimiter).filter((folder) => folder !== '');
  return NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find(isProgram);
}

/** Installs Debian's package when there is no Chromium and we are root; says what to do otherwise. */
export function ensureChromium(say: (message: string) => void): void {
  if (findChromium() !== undefined) return;
  const mayInstall = process.getuid?.() === 0 && (process.env['CHROMIUM'] ?? '') === '';
  if (!mayInstall) {
    say(CHROMIUM_IS_MISSING);
    return;
  }
  say('Installing Chromium for the browser tests (first run only)…');
  const trouble = runAptGet('update') ?? runAptGet('install', '--yes', '--no-install-recommends', 'chromium');
  if (trouble !== undefined || findChromium() === undefined) say([trouble, CHROMIUM_IS_MISSING].filter(Boolean).join('\n'));
}

/** What went wrong, if anything did. */
export function runAptGet(...args: readonly string[]): string | undefined {
  const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const { status, error, stderr } = spawnSync('apt-get', ['--quiet', ...args], {
    env: environment,
    timeout: INSTALL_LIMIT_MS,
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
  });
  if (error !== undefined) return `apt-get could not be run (${error.message}).`;
  return status === 0 ? undefined : `apt-get ${args[0]} failed (exit code ${status}).\n${stderr.trim().slice(-2_000)}`;
}

export function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
