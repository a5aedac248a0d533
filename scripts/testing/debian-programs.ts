// System programs that some tests need: found on the PATH or by a setting, or installed from Debian when run as root.
import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

interface DebianProgram {
  readonly names: readonly string[];
  /** Candidates; the first installable one is installed. */
  readonly debianPackages: readonly string[];
  /** Environment variable with the program's path, if it is not on the PATH. */
  readonly setting: string;
  /** Path prefix of the tests that need the program. */
  readonly tests: string;
}

const programs = {
  chromium: {
    // The headless shell is the same engine without windows and costs a quarter less processor time.
    names: ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'],
    debianPackages: ['chromium-headless-shell', 'chromium'],
    setting: 'CHROMIUM',
    tests: 'test/browser/',
  },
  caddy: { names: ['caddy'], debianPackages: ['caddy'], setting: 'CADDY', tests: 'test/proxies/' },
  haproxy: { names: ['haproxy'], debianPackages: ['haproxy'], setting: 'HAPROXY', tests: 'test/proxies/' },
  nginx: { names: ['nginx'], debianPackages: ['nginx-light'], setting: 'NGINX', tests: 'test/proxies/' },
  pgbouncer: { names: ['pgbouncer'], debianPackages: ['pgbouncer'], setting: 'PGBOUNCER', tests: 'test/foreign/pgbouncer' },
} as const satisfies Record<string, DebianProgram>;

export type ProgramName = keyof typeof programs;

/** Debian installs servers in folders that are only on root's PATH. */
const SYSTEM_FOLDERS = ['/usr/sbin'];
const INSTALL_LIMIT_MS = 300_000;

/** The path of the program, if it is installed. */
export function findProgram(name: ProgramName, environment: NodeJS.ProcessEnv = process.env): string | undefined {
  const { names, setting } = programs[name];
  const chosen = environment[setting];
  if (chosen !== undefined && chosen !== '') return isProgram(chosen) ? chosen : undefined;
  const folders = [...(environment['PATH'] ?? '').split(delimiter).filter((folder) => folder !== ''), ...SYSTEM_FOLDERS];
  return names.flatMap((candidate) => folders.map((folder) => join(folder, candidate))).find(isProgram);
}

export function requireProgram(name: ProgramName): string {
  const found = findProgram(name);
  if (found === undefined) throw new Error(describeMissing(name));
  return found;
}

/** As root, installs missing programs that these test files need; otherwise prints what to do. Tests without their program then fail. */
export function installMissingPrograms(files: readonly string[], print: (message: string) => void): void {
  for (const name of Object.keys(programs) as ProgramName[]) {
    if (files.some((file) => file.startsWith(programs[name].tests)) && findProgram(name) === undefined) install(name, print);
  }
}

function install(name: ProgramName, print: (message: string) => void): void {
  const { debianPackages, setting } = programs[name];
  const mayInstall = process.getuid?.() === 0 && (process.env[setting] ?? '') === '';
  if (!mayInstall) {
    print(describeMissing(name));
    return;
  }
  print(`Installing ${name} for tests (first run only)…`);
  let trouble = runAptGet('update');
  for (const debianPackage of debianPackages) {
    if (findProgram(name) !== undefined) return;
    trouble = runAptGet('install', '--yes', '--no-install-recommends', debianPackage) ?? trouble;
  }
  if (findProgram(name) === undefined) print([trouble, describeMissing(name)].filter(Boolean).join('\n'));
}

function describeMissing(name: ProgramName): string {
  const { debianPackages, setting, tests } = programs[name];
  return `${tests} needs ${name}, and it is not on this machine. Install it as root with "apt-get install ${debianPackages[0]}", or set ${setting} to its path.`;
}

/** Returns the error of apt-get, if any. */
function runAptGet(...args: readonly string[]): string | undefined {
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

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
