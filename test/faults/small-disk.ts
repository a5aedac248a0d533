/** A real file system of a few megabytes that can be filled and emptied. */
import { execFileSync } from 'node:child_process';
import { chmodSync, closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

export interface SmallDisk {
  readonly path: string;
  /** Leaves no byte free. */
  fill(): void;
  free(): void;
  remove(): Promise<void>;
}

/** The reason why this machine cannot have one, if any. */
export function reasonAgainstSmallDisks(): string | undefined {
  if (process.platform !== 'linux') return 'a file system of its own needs Linux';
  if (process.getuid?.() !== 0) return 'mounting a file system needs root';
  try {
    execFileSync('unshare', ['-m', 'mount', '-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', tmpdir()], { stdio: 'pipe' });
    return undefined;
  } catch (error) {
    return `this account may not mount: ${String(error).slice(0, 200)}`;
  }
}

export async function mountSmallDisk(megabytes: number): Promise<SmallDisk> {
  const folder = await mkdtemp(path.join(tmpdir(), 'market-disk-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=755`, 'tmpfs', folder]);
  // PostgreSQL runs under another account and must reach the folder.
  chmodSync(folder, 0o755);
  const filler = path.join(folder, 'filler');
  return {
    path: folder,
    fill() {
      const file = openSync(filler, 'a');
      try {
        for (let size = 1024 * 1024; size >= 1; size = size > 1 ? Math.floor(size / 2) : 0) writeUntilFull(file, Buffer.alloc(size, 1));
      } finally {
        closeSync(file);
      }
    },
    free: () => rmSync(filler, { force: true }),
    async remove() {
      // Lazily, because an ending process may still use it.
      execFileSync('umount', ['-l', folder]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function writeUntilFull(file: number, piece: Buffer): void {
  try {
    for (;;) writeSync(file, piece);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
}
