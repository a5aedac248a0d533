/** Reads a file in pieces, never all of it. */
import { open } from 'node:fs/promises';

export interface FileBytes {
  readonly size: number;
  /** Fewer bytes where the file ends. */
  read(offset: number, length: number): Promise<Buffer>;
}

export async function lookInto<T>(path: string, size: number, look: (bytes: FileBytes) => Promise<T>): Promise<T> {
  const handle = await open(path, 'r');
  try {
    return await look({
      size,
      async read(offset, length) {
        const { buffer, bytesRead } = await handle.read(Buffer.alloc(Math.max(0, Math.min(length, size - offset))), { position: offset });
        return buffer.subarray(0, bytesRead);
      },
    });
  } finally {
    await handle.close();
  }
}
