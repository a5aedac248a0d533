/** One answer as finished bytes. Calls differ only in the id of the message, which comes last. */
import { constants, crc32, deflateRawSync } from 'node:zlib';

export interface FinishedMessage {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Bytes in memory. */
  readonly size: number;
  /** The body for a message with this id, compressed if that saves enough and the client accepts it. */
  bodyFor(id: string | number, takesGzip: boolean): { readonly body: Buffer; readonly isGzip: boolean };
}

/** Shorter answers hardly shrink by compression. */
const LEAST_COMPRESSED = 1_024;
/** Allows for the compressed form, about a tenth, and for strings and objects around the bytes. */
const OVERHEAD = 1.2;

/** Undefined for an error, and for an answer that does not end with the id of its message. */
export function finishMessage(
  { status, headers }: Pick<FinishedMessage, 'status' | 'headers'>,
  text: string,
  id: string | number,
): FinishedMessage | undefined {
  const isStream = headers['content-type']?.startsWith('text/event-stream') === true;
  const ending = isStream ? '\n\n' : '';
  const tailFor = (other: string | number): string => `,"jsonrpc":"2.0","id":${JSON.stringify(other)}}${ending}`;
  const tail = tailFor(id);
  if (!text.startsWith(`${isStream ? 'event: message\ndata: ' : ''}{"result":`) || !text.endsWith(tail)) return undefined;
  const start = Buffer.from(text.slice(0, -tail.length));
  let packed: PackedStart | undefined;
  return {
    status,
    headers,
    size: Math.ceil(start.length * OVERHEAD),
    bodyFor(other, takesGzip) {
      const end = Buffer.from(tailFor(other));
      if (!takesGzip || isStream || start.length < LEAST_COMPRESSED) return { body: Buffer.concat([start, end]), isGzip: false };
      packed ??= packStart(start);
      return { body: closeGzip(packed, end), isGzip: true };
    },
  };
}

interface PackedStart {
  readonly bytes: Buffer;
  readonly checksum: number;
  readonly length: number;
}

/** RFC 1952: magic, deflate, no flags, no time, no system. */
const GZIP_HEAD = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);

/** Compresses to deflate blocks that end at a byte boundary, so that others can follow. */
function packStart(start: Buffer): PackedStart {
  const blocks = deflateRawSync(start, { level: 9, finishFlush: constants.Z_FULL_FLUSH });
  return { bytes: Buffer.concat([GZIP_HEAD, blocks]), checksum: crc32(start), length: start.length };
}

/** Appends the end uncompressed, as the last block (RFC 1951, 3.2.4). */
function closeGzip({ bytes, checksum, length }: PackedStart, end: Buffer): Buffer {
  const block = Buffer.alloc(5);
  block.writeUInt8(1, 0);
  block.writeUInt16LE(end.length, 1);
  block.writeUInt16LE(~end.length & 0xffff, 3);
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(crc32(end, checksum), 0);
  trailer.writeUInt32LE(length + end.length, 4);
  return Buffer.concat([bytes, block, end, trailer]);
}
