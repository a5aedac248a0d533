/** Where files lie, whatever holds them. Keys are made by us and never contain anything a caller wrote. */
import type { Readable } from 'node:stream';
import type { SpooledFile } from './spool.ts';

/** Both ends belong to it. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

export interface FileStorage {
  /** The object is there whole or not at all. Takes the spooled file over: it may be gone afterwards. */
  put(key: string, file: SpooledFile): Promise<void>;
  /** Throws `FileMissingError` when there is no such object. */
  open(key: string, range?: ByteRange): Promise<Readable>;
  /** Removing what is not there is no error. */
  remove(key: string): Promise<void>;
}

export class FileMissingError extends Error {
  override readonly name = 'FileMissingError';

  constructor(key: string) {
    super(`the storage holds no object ${key}`);
  }
}
