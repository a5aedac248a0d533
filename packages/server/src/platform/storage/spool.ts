/**
 * Temporary files of uploads. Bytes are written here while they are counted and hashed. Only checked files move to the storage; refused and
 * interrupted uploads never do.
 */
import { createHash } from 'node:crypto';
import { mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { newStorageKey } from '../random.ts';

export interface SpooledFile {
  readonly path: string;
  readonly sizeBytes: number;
  readonly sha256: string;
}

export interface Spool {
  /** Throws `SpoolLimitError` at the first byte beyond the limit. A failure leaves no file behind. */
  write(content: AsyncIterable<Buffer> | Iterable<Buffer>, maxBytes: number): Promise<SpooledFile>;
  discard(file: SpooledFile): Promise<void>;
  /** Removes files left by crashed processes. */
  sweep(): Promise<void>;
}

export class SpoolLimitError extends Error {
  override readonly name = 'SpoolLimitError';
}

/** No request lasts this long, so an older file is abandoned. */
const ABANDONED_AFTER_MS = 60 * 60_000;

export function createSpool(folder: string): Spool {
  return {
    async write(content, maxBytes) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const file = path.join(folder, newStorageKey());
      try {
        return { path: file, ...(await writeCounted(file, content, maxBytes)) };
      } catch (error) {
        await rm(file, { force: true });
        throw error;
      }
    },
    async discard(file) {
      await rm(file.path, { force: true });
    },
    async sweep() {
      const names = await readdir(folder).catch(() => []);
      for (const name of names) {
        const file = path.join(folder, name);
        const found = await stat(file).catch(() => undefined);
        if (found !== undefined && Date.now() - found.mtimeMs > ABANDONED_AFTER_MS) await rm(file, { force: true });
      }
    },
  };
}

async function writeCounted(
  file: string,
  content: AsyncIterable<Buffer> | Iterable<Buffer>,
  maxBytes: number,
): Promise<Omit<SpooledFile, 'path'>> {
  const hash = createHash('sha256');
  let sizeBytes = 0;
  const handle = await open(file, 'wx', 0o600);
  try {
    for await (const chunk of content) {
      sizeBytes += chunk.length;
      if (sizeBytes > maxBytes) throw new SpoolLimitError(`more than ${maxBytes} bytes`);
      hash.update(chunk);
      await handle.write(chunk);
    }
    // The file must survive a power cut before a row says that it exists.
    await handle.sync();
  } finally {
    await handle.close();
  }
  return { sizeBytes, sha256: hash.digest('hex') };
}
