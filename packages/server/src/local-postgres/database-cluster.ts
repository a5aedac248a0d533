// The files of the database: created once and atomically, and cleaned of lock files that a crashed server left behind.
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isProcessAlive } from './is-process-alive.ts';
import type { PostgresBinaries } from './postgres-binaries.ts';
import { asSeenByAccount, type PostgresLayout, runAsAccount } from './postgres-layout.ts';
import { socketFile } from './socket-folder.ts';

export const SUPERUSER = 'market';
export const FIRST_DATABASE = 'postgres';

const UNFINISHED = 'data.unfinished-';
const ORPHAN_FAST_SHUTDOWN_SECONDS = 30;
const ORPHAN_SECONDS = 40;

/** Builds the cluster under another name and renames it when complete: a crash half-way leaves nothing that looks like a database. */
export async function ensureCluster(layout: PostgresLayout, binaries: PostgresBinaries, log: (message: string) => void): Promise<void> {
  for (const name of readdirSync(layout.folder).filter((each) => each.startsWith(UNFINISHED))) {
    rmSync(join(layout.folder, name), { recursive: true, force: true, maxRetries: 5 });
  }
  if (hasCluster(layout)) return;
  log('creating the database cluster (first start only)');
  const unfinished = join(layout.folder, `${UNFINISHED}${randomBytes(6).toString('hex')}`);
  await initialise(layout, binaries, unfinished);
  moveToData(layout, unfinished);
}

export function hasCluster(layout: PostgresLayout): boolean {
  return existsSync(join(layout.data, 'PG_VERSION'));
}

async function initialise(layout: PostgresLayout, binaries: PostgresBinaries, target: string): Promise<void> {
  const base = [
    '-D',
    asSeenByAccount(layout, target),
    '-U',
    SUPERUSER,
    '-A',
    'trust',
    '--encoding=UTF8',
    '--data-checksums',
    '--no-instructions',
  ];
  const initdb = join(binaries.bin, 'initdb');
  let result = await runAsAccount(layout, initdb, [...base, '--locale=C.UTF-8']);
  if (result.code !== 0 && binaries.major >= 17 && /locale/.test(result.output)) {
    // The system lacks that locale: PostgreSQL 17 and later bring their own.
    rmSync(target, { recursive: true, force: true });
    result = await runAsAccount(layout, initdb, [...base, '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']);
  }
  if (result.code === 0) return;
  rmSync(target, { recursive: true, force: true });
  throw new Error(`initdb could not create the database cluster in ${layout.folder}:\n${result.output.trim()}`);
}

function moveToData(layout: PostgresLayout, unfinished: string): void {
  try {
    renameSync(unfinished, layout.data);
  } catch (error) {
    throw new Error(`${layout.data} holds files but no database. Move it away and start again.`, { cause: error });
  }
  const folder = openSync(layout.folder, 'r');
  fsyncSync(folder);
  closeSync(folder);
}

/** The process id in the server's own lock file, whether that process lives or not. */
export function readServerPid(layout: PostgresLayout): number | undefined {
  return readPid(join(layout.data, 'postmaster.pid'));
}

function readPid(file: string): number | undefined {
  if (!existsSync(file)) return undefined;
  const pid = Number.parseInt(readFileSync(file, 'utf8'), 10);
  return pid > 0 ? pid : undefined;
}

/** Before a start without supervisor: waits for a server that is still stopping or lost its supervisor, and removes stale lock files. */
export async function endUnsupervisedServer(layout: PostgresLayout, socketFolder: string, log: (message: string) => void): Promise<void> {
  const pid = readServerPid(layout);
  if (pid !== undefined && (await isServerOf(layout, pid))) {
    log('waiting for the previous PostgreSQL to stop');
    await endOrphan(pid);
  }
  for (const file of [join(layout.data, 'postmaster.pid'), `${socketFile(socketFolder)}.lock`]) await removeLyingLock(layout, file);
}

async function endOrphan(pid: number): Promise<void> {
  for (let second = 0; second < ORPHAN_SECONDS; second += 1) {
    signal(pid, second < ORPHAN_FAST_SHUTDOWN_SECONDS ? 'SIGINT' : 'SIGQUIT');
    for (let wait = 0; wait < 20; wait += 1) {
      if (!isProcessAlive(pid)) return;
      await sleep(50);
    }
  }
  throw new Error(`PostgreSQL (process ${pid}) does not stop. End it and start again.`);
}

function signal(pid: number, name: 'SIGINT' | 'SIGQUIT'): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (isProcessAlive(pid)) throw error;
  }
}

/** After a power cut, another process may have the recorded id, and PostgreSQL would refuse to start. */
async function removeLyingLock(layout: PostgresLayout, file: string): Promise<void> {
  const pid = readPid(file);
  if (pid !== undefined && isProcessAlive(pid) && !(await isServerOf(layout, pid))) rmSync(file, { force: true });
}

/** A running server has its data folder as working directory; where /proc is missing, its command line names it. */
async function isServerOf(layout: PostgresLayout, pid: number): Promise<boolean> {
  if (!existsSync(layout.data)) return false;
  if (process.platform === 'linux') return workingDirectory(pid) === realpathSync(layout.data);
  const { code, output } = await runAsAccount(layout, 'ps', ['-ww', '-p', String(pid), '-o', 'command=']);
  return code === 0 && output.includes(layout.data);
}

function workingDirectory(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return undefined;
  }
}
