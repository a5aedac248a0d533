/** A test's own data folder, and the PostgreSQL processes on it. */
import { execFileSync } from 'node:child_process';
import { chmodSync, globSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isProcessAlive } from '../../packages/server/src/local-postgres/is-process-alive.ts';

export interface DataFolder {
  readonly path: string;
  remove(): Promise<void>;
}

export async function makeDataFolder(): Promise<DataFolder> {
  const folder = await mkdtemp(path.join(tmpdir(), 'market-data-'));
  // PostgreSQL refuses to run as root and must reach the folder from another account.
  chmodSync(folder, 0o755);
  return { path: folder, remove: () => rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }) };
}

/** A stopping server removes its pid file between the listing and the reading. */
function postmasterOf(folder: DataFolder): number | undefined {
  const [pidFile] = globSync(path.join(folder.path, '**', 'postmaster.pid'));
  if (pidFile === undefined) return undefined;
  try {
    const pid = Number(readFileSync(pidFile, 'utf8').split('\n')[0]);
    return Number.isInteger(pid) ? pid : undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** The server on this folder with its child processes; empty if none runs. */
export function listPostgres(folder: DataFolder): number[] {
  const root = postmasterOf(folder);
  if (root === undefined || !isProcessAlive(root)) return [];
  const parents = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number));
  const family = [root];
  for (const pid of family) family.push(...parents.filter(([, parent]) => parent === pid).map(([child]) => child as number));
  return family;
}

/** Those of `pids` that still run after `limitMs`. */
export async function survivorsOf(pids: readonly number[], limitMs: number): Promise<number[]> {
  const deadline = performance.now() + limitMs;
  let alive = pids.filter(isProcessAlive);
  while (alive.length > 0 && performance.now() < deadline) {
    await sleep(50);
    alive = pids.filter(isProcessAlive);
  }
  return alive;
}
