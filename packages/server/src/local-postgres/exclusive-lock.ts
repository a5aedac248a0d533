// A lock that the kernel frees however its holder dies. Node has no flock, so this uses SQLite's lock on an otherwise empty file.

import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';

const SQLITE_BUSY = 5;
const RETRY_MS = 50;

export interface ExclusiveLock {
  release(): void;
}

export async function acquireExclusiveLock(file: string, deadline: number, onWait: () => void): Promise<ExclusiveLock> {
  const database = new DatabaseSync(file, { timeout: 0 });
  let waiting = false;
  while (!tryLock(database)) {
    if (Date.now() > deadline) {
      database.close();
      throw new Error(`Another process has held ${file} for too long. Stop it and start again.`);
    }
    if (!waiting) onWait();
    waiting = true;
    await sleep(RETRY_MS);
  }
  return { release: () => database.close() };
}

function tryLock(database: DatabaseSync): boolean {
  try {
    database.exec('BEGIN EXCLUSIVE');
    return true;
  } catch (error) {
    if (error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY) return false;
    throw error;
  }
}
