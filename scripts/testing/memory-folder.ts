// A folder in memory for the databases of a run: each test database is hundreds of small files, made and removed within seconds.
import { accessSync, constants, readdirSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { isProcessAlive } from '../../packages/server/src/local-postgres/is-process-alive.ts';

const SHARED_MEMORY = '/dev/shm';
const TMPFS = 0x01021994;
const WANTED_BYTES = 3 * 1024 ** 3;

/** Undefined where the system has none, or too little room. */
export function findMemoryFolder(folder = SHARED_MEMORY, wantedBytes = WANTED_BYTES): string | undefined {
  try {
    const { type, bavail, bsize } = statfsSync(folder);
    accessSync(folder, constants.W_OK);
    return type === TMPFS && bavail * bsize >= wantedBytes ? folder : undefined;
  } catch {
    return undefined;
  }
}

const FOLDER_OF_RUN = /^market-test-run-(\d+)-/;

export function prefixOfRun(pid = process.pid): string {
  return `market-test-run-${pid}-`;
}

/** Removes the folders of runs that were killed: what lies in memory must not pile up. */
export function removeAbandoned(folder: string): void {
  for (const name of readdirSync(folder)) {
    const pid = FOLDER_OF_RUN.exec(name)?.[1];
    if (pid === undefined || isProcessAlive(Number(pid))) continue;
    try {
      rmSync(join(folder, name), { recursive: true, force: true });
    } catch {
      // A killed test may have left a mount in it. This run does not need the folder.
    }
  }
}
