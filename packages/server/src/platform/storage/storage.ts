/** The port of file storage. The server makes the keys; they never contain text from a caller. */
import type { Readable } from 'node:stream';
import type { SpooledFile } from './spool.ts';

/** A range of bytes; both ends are inclusive. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

export interface FileStorage {
  /** Stores the object completely or not at all. Takes over the spooled file, which may be gone afterwards. */
  put(key: string, file: SpooledFile): Promise<void>;
  /** Throws `FileMissingError` when there is no such object. */
  open(key: string, range?: ByteRange): Promise<Readable>;
  /** Removing a missing object is no error. */
  remove(key: string): Promise<void>;
}

export class FileMissingError extends Error {
  override readonly name = 'FileMissingError';

  constructor(key: string) {
    super(`the storage holds no object ${key}`);
  }
}
