// The chain on disk: one JSON line per event, append-only. Lines are written at once (a killed process loses nothing) and
// flushed to disk in groups: code that reports an event to clients awaits `settled` first. Old records stay on disk, not in memory.

import { closeSync, fdatasync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import { promisify } from 'node:util';

const CHUNK_BYTES = 1 << 20;
const NEWLINE = 10;
const flush = promisify(fdatasync);

export interface LogPosition {
  readonly offset: number;
  readonly length: number;
}

export type ChainLog = ReturnType<typeof openChainLog>;

/** Opens the log and passes every line to `restore`. It removes an incomplete last line. */
export function openChainLog(
  file: string,
  restore: (event: unknown, position: LogPosition) => void,
  onFailure: (error: unknown) => void = () => undefined,
) {
  const descriptor = openSync(file, 'a+', 0o600);
  let size = 0;
  try {
    size = readLines(descriptor, file, restore);
    ftruncateSync(descriptor, size);
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
  let settledSize = size;
  let flushing: Promise<void> | undefined;
  let failure: unknown;
  let isClosed = false;

  function fail(error: unknown): void {
    failure = error;
    onFailure(error);
  }

  async function flushOnce(): Promise<void> {
    const target = size;
    try {
      await flush(descriptor);
      settledSize = Math.max(settledSize, target);
    } catch (error) {
      fail(error);
      throw error;
    } finally {
      flushing = undefined;
    }
  }

  async function settled(): Promise<void> {
    const target = size;
    while (settledSize < target) {
      if (failure !== undefined) throw failure;
      flushing ??= flushOnce();
      await flushing;
    }
  }

  return {
    settled,

    isHealthy: () => failure === undefined,

    append(event: unknown): LogPosition {
      if (failure !== undefined) throw failure;
      const line = Buffer.from(`${JSON.stringify(event)}\n`);
      try {
        for (let done = 0; done < line.length; ) done += writeSync(descriptor, line, done);
      } catch (error) {
        fail(error);
        ftruncateSync(descriptor, size); // an incomplete line would corrupt the next one
        throw error;
      }
      const position = { offset: size, length: line.length - 1 };
      size += line.length;
      return position;
    },

    read({ offset, length }: LogPosition): unknown {
      if (isClosed) throw new Error('The chain is closed.');
      const line = Buffer.alloc(length);
      for (let done = 0; done < length; ) {
        const count = readSync(descriptor, line, done, length - done, offset + done);
        if (count === 0) throw new Error(`The chain log ${file} is shorter than it was. Do not change it while the chain runs.`);
        done += count;
      }
      return JSON.parse(line.toString('utf8'));
    },

    async close(): Promise<void> {
      try {
        await settled();
      } finally {
        // The OS may reuse the file descriptor.
        isClosed = true;
        failure ??= new Error('The chain is closed.');
        closeSync(descriptor);
      }
    },
  };
}

/** Returns the end of the last complete line. */
function readLines(descriptor: number, file: string, restore: (event: unknown, position: LogPosition) => void): number {
  const fileSize = fstatSync(descriptor).size;
  const chunk = Buffer.alloc(CHUNK_BYTES);
  let rest: Buffer = Buffer.alloc(0);
  let lineStart = 0;
  for (let position = 0; position < fileSize; ) {
    const count = readSync(descriptor, chunk, 0, CHUNK_BYTES, position);
    if (count === 0) break;
    position += count;
    let text: Buffer = Buffer.concat([rest, chunk.subarray(0, count)]);
    for (let end = text.indexOf(NEWLINE); end >= 0; end = text.indexOf(NEWLINE)) {
      const isLast = lineStart + end + 1 === fileSize;
      const event = parseLine(text.subarray(0, end), isLast, file, lineStart);
      if (event === undefined) return lineStart;
      restore(event, { offset: lineStart, length: end });
      lineStart += end + 1;
      text = text.subarray(end + 1);
    }
    rest = text;
  }
  return lineStart;
}

function parseLine(line: Buffer, isLast: boolean, file: string, offset: number): unknown {
  try {
    return JSON.parse(line.toString('utf8'));
  } catch (cause) {
    if (isLast) return undefined;
    throw new Error(`The chain log ${file} is damaged at byte ${offset}. Restore it, or remove its folder to begin a new chain.`, {
      cause,
    });
  }
}
