// A folder in memory for the databases of a run: each test database is hundreds of small files, made and removed within seconds.
import { accessSync, constants, readdirSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { isProcessAlive } from '../../packages/server/src/local-postgres/is-process-alive.ts';

const SHARED_MEMORY = '/dev/shm';
const TMPFS = 0x01021994;
const WANTED_BYTES = 3 * 1024 ** 3;

/** Returns undefined if the system has no such folder, or too little space in it. */
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

/** Removes the folders of killed runs, so that they do not fill the memory. */
export function removeAbandoned(folder: string): void {
  for (const name of readdirSync(folder)) {
    const pid = FOLDER_OF_RUN.exec(name)?.[1];
    if (pid === undefined || isProcessAlive(Number(pid))) continue;
    try {
      rmSync(join(folder, name), { recursive: true, force: true });
    } catch {
      // Ignore the error: a killed test may have left a mount in the folder.
    }
  }
}
