import path from 'node:path';
import { createLocalStorage } from './local-storage.ts';
import { createS3Storage, type S3Options } from './s3-storage.ts';
import { createSpool, type Spool } from './spool.ts';
import type { FileStorage } from './storage.ts';

export interface OpenedStorage {
  readonly storage: FileStorage;
  readonly spool: Spool;
}

/**
 * Uses the configured bucket, otherwise the data folder. Spool and local files share a file system, so that moving a file is one rename.
 */
export function openStorage(dataDir: string, s3: S3Options | undefined): OpenedStorage {
  const folder = path.join(dataDir, 'uploads');
  return {
    storage: s3 === undefined ? createLocalStorage(path.join(folder, 'files')) : createS3Storage(s3),
    spool: createSpool(path.join(folder, 'incoming')),
  };
}
