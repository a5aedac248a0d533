// One node per folder. Node has no flock, so this borrows SQLite's lock on an otherwise empty file: the kernel frees it however its holder dies.

import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

const SQLITE_BUSY = 5;

/** Returns how to release it. */
export function lockFolder(folder: string): () => void {
  const database = new DatabaseSync(join(folder, 'lock'), { timeout: 0 });
  try {
    database.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if (!(error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY)) throw error;
    throw new Error(`Another sandbox chain is running on ${folder}. Stop it, or use another folder.`);
  }
  return () => database.close();
}
