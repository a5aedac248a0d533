/** Checks that the disk accepts writes, by writing. */
import { mkdir, open, rm } from 'node:fs/promises';
import path from 'node:path';
import { newStorageKey } from '../random.ts';

const PROBE = Buffer.alloc(64 * 1024, 1);
const FULL = new Set(['ENOSPC', 'EDQUOT']);

/** Why no file can be written to `folder`; undefined if one can. */
export async function probeDisk(folder: string): Promise<'full' | 'not writable' | undefined> {
  const file = path.join(folder, `.probe-${newStorageKey()}`);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const handle = await open(file, 'wx', 0o600);
    try {
      await handle.writeFile(PROBE);
      await handle.sync();
    } finally {
      await handle.close();
    }
    return undefined;
  } catch (error) {
    return isDiskFullError(error) ? 'full' : 'not writable';
  } finally {
    await rm(file, { force: true }).catch(() => undefined);
  }
}

export function isDiskFullError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && FULL.has(String(error.code));
}
