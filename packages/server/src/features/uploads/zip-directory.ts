/**
 * Reads the directory of an archive without unpacking it, and returns why it is unsafe to serve.
 * A directory can lie about sizes; overlapping entries and stored entries that grow are caught, the rest is left to the unpacker.
 */
import type { FileBytes } from './file-bytes.ts';

const END_SIGNATURE = 0x06054b50;
const ENTRY_SIGNATURE = 0x02014b50;
const END_BYTES = 22;
const ENTRY_BYTES = 46;
const LOCAL_BYTES = 30;
const LONGEST_COMMENT = 0xffff;

const MOST_ENTRIES = 10_000;
const MOST_DIRECTORY_BYTES = 8 * 1024 * 1024;
const MOST_UNPACKED_BYTES = 1024 ** 3;
const HIGHEST_RATIO = 100;
/** Smaller archives may shrink more than that. */
const RATIO_COUNTS_FROM_BYTES = 10 * 1024 * 1024;

interface Entry {
  readonly name: string;
  readonly method: number;
  readonly packed: number;
  readonly unpacked: number;
  readonly offset: number;
  readonly isLink: boolean;
}

/** The reason for refusing the archive, in words; undefined when there is none. */
export async function objectionToArchive(bytes: FileBytes): Promise<string | undefined> {
  const directory = await readDirectory(bytes);
  if (typeof directory === 'string') return directory;
  const entries = readEntries(directory.content, directory.count);
  if (entries === undefined) return 'its directory is damaged';
  return objectionToEntries(entries, directory.offset) ?? objectionToSize(entries, bytes.size);
}

async function readDirectory(bytes: FileBytes): Promise<{ content: Buffer; offset: number; count: number } | string> {
  const tailStart = Math.max(0, bytes.size - END_BYTES - LONGEST_COMMENT);
  const tail = await bytes.read(tailStart, END_BYTES + LONGEST_COMMENT);
  const at = findEnd(tail);
  if (at === undefined) return 'its end is missing';
  const count = tail.readUInt16LE(at + 10);
  const size = tail.readUInt32LE(at + 12);
  const offset = tail.readUInt32LE(at + 16);
  if (tail.readUInt32LE(at + 4) !== 0 || tail.readUInt16LE(at + 8) !== count) return 'it is a part of several';
  if (count === 0) return 'it is empty';
  if (count > MOST_ENTRIES) return `it holds more than ${MOST_ENTRIES} files`;
  // This also keeps out the 64-bit form, which no archive of this size needs and which gives readers two sizes to choose from.
  if (offset + size !== tailStart + at) return 'its directory is not where it says';
  if (size > MOST_DIRECTORY_BYTES) return 'its directory is too long';
  return { content: await bytes.read(offset, size), offset, count };
}

/** Finds the record whose comment ends exactly at the end of the file: bytes behind it would belong to something else. */
function findEnd(tail: Buffer): number | undefined {
  for (let at = tail.length - END_BYTES; at >= 0; at--) {
    if (tail.readUInt32LE(at) === END_SIGNATURE && at + END_BYTES + tail.readUInt16LE(at + 20) === tail.length) return at;
  }
  return undefined;
}

function readEntries(content: Buffer, count: number): Entry[] | undefined {
  const entries: Entry[] = [];
  let at = 0;
  while (entries.length < count) {
    if (at + ENTRY_BYTES > content.length || content.readUInt32LE(at) !== ENTRY_SIGNATURE) return undefined;
    const nameEnd = at + ENTRY_BYTES + content.readUInt16LE(at + 28);
    const end = nameEnd + content.readUInt16LE(at + 30) + content.readUInt16LE(at + 32);
    if (end > content.length) return undefined;
    const madeBy = content.readUInt8(at + 5);
    entries.push({
      name: content.toString('latin1', at + ENTRY_BYTES, nameEnd),
      method: content.readUInt16LE(at + 10),
      packed: content.readUInt32LE(at + 20),
      unpacked: content.readUInt32LE(at + 24),
      offset: content.readUInt32LE(at + 42),
      // On Unix the upper half holds the mode, whose upper four bits are the file type.
      isLink: madeBy === 3 && content.readUInt16LE(at + 40) >> 12 === 0xa,
    });
    at = end;
  }
  return at === content.length ? entries : undefined;
}

function objectionToEntries(entries: readonly Entry[], directoryOffset: number): string | undefined {
  if (entries.some(({ name }) => leadsElsewhere(name))) return 'it holds a name that leads out of the folder it is unpacked in';
  if (entries.some(({ isLink }) => isLink)) return 'it holds a symbolic link';
  if (entries.some(({ method, packed, unpacked }) => method === 0 && packed !== unpacked)) return 'its directory is damaged';
  const byPlace = [...entries].sort((a, b) => a.offset - b.offset);
  const overlaps = byPlace.some(({ offset, packed }, n) => offset + LOCAL_BYTES + packed > (byPlace[n + 1]?.offset ?? directoryOffset));
  return overlaps ? 'its files overlap' : undefined;
}

function leadsElsewhere(name: string): boolean {
  const segments = name.split(/[/\\]/);
  return name === '' || name.includes('\0') || /^([/\\]|[a-z]:)/i.test(name) || segments.includes('..');
}

function objectionToSize(entries: readonly Entry[], size: number): string | undefined {
  const unpacked = entries.reduce((sum, entry) => sum + entry.unpacked, 0);
  if (unpacked > MOST_UNPACKED_BYTES) return 'it would unpack to more than 1 GiB';
  if (unpacked > RATIO_COUNTS_FROM_BYTES && unpacked / size > HIGHEST_RATIO)
    return `it would unpack to more than ${HIGHEST_RATIO} times its size`;
  return undefined;
}
