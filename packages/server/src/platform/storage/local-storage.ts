/** Files in a folder of this machine, two levels deep so that no directory grows large. */
import { createReadStream } from 'node:fs';
import { access, mkdir, open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { type ByteRange, FileMissingError, type FileStorage } from './storage.ts';

export function createLocalStorage(folder: string): FileStorage {
  const pathOf = (key: string): string => {
    if (!/^[0-9a-f]{32}(-preview)?$/.test(key)) throw new TypeError(`${key} is not a storage key`);
    return path.join(folder, key.slice(0, 2), key.slice(2, 4), key);
  };

  return {
    async put(key, file) {
      const target = pathOf(key);
      await mkdir(path.dirname(target), { recursive: true, mode: 0o700 });
      await rename(file.path, target);
      await syncFolder(path.dirname(target));
    },
    async open(key: string, range?: ByteRange) {
      const target = pathOf(key);
      await access(target).catch(() => {
        throw new FileMissingError(key);
      });
      return createReadStream(target, range);
    },
    async remove(key) {
      await rm(pathOf(key), { force: true });
    },
  };
}

/** Makes a rename durable by syncing its directory. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
