// Locks a chain's folder for one process. It uses SQLite's lock on an empty file: Node has no flock, and the kernel frees this lock however
// its holder dies.

import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

const SQLITE_BUSY = 5;

/** Another process holds the folder; it may release it soon. */
export class FolderInUse extends Error {}

export function lockFolder(folder: string): { release(): void } {
  const database = new DatabaseSync(join(folder, 'in-use'), { timeout: 0 });
  try {
    database.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if (!(error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY)) throw error;
    throw new FolderInUse(`Another process runs the chain in ${folder}. Stop it first, or use a different folder.`, { cause: error });
  }
  return { release: () => database.close() };
}
