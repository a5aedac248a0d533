/** Files for tests, honest and hostile, and upload forms. */
import { crc32, deflateRawSync, deflateSync } from 'node:zlib';
import type { Reply } from './http.ts';

export type Bytes = Buffer<ArrayBuffer>;

export interface FormFile {
  readonly content: Bytes | string;
  readonly name?: string;
  readonly type?: string;
}

export interface UploadOptions {
  readonly path?: '/api/upload' | '/api/orders/brief-images';
  readonly fields?: Record<string, unknown>;
  readonly headers?: Record<string, string>;
}

/** Sends a file as browsers and programs do. */
export async function upload(url: string, key: string | undefined, file: FormFile, options: UploadOptions = {}): Promise<Reply> {
  const form = new FormData();
  for (const [name, value] of Object.entries(options.fields ?? {})) form.append(name, String(value));
  form.append('file', new Blob([file.content], { type: file.type ?? 'application/octet-stream' }), file.name ?? 'file');
  const response = await fetch(`${url}${options.path ?? '/api/upload'}`, {
    method: 'POST',
    headers: { ...(key !== undefined && { authorization: `Bearer ${key}` }), ...options.headers },
    body: form,
  });
  return { status: response.status, headers: response.headers, body: JSON.parse(await response.text()) };
}

export interface ServedFile {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Bytes;
}

export async function readFile(fileUrl: string, key?: string, headers: Record<string, string> = {}): Promise<ServedFile> {
  const response = await fetch(fileUrl, { headers: { ...(key !== undefined && { authorization: `Bearer ${key}` }), ...headers } });
  return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) };
}

/** A real picture of one colour, or one whose header claims another size. */
export function png(width: number, height: number, { claim = { width, height } } = {}): Bytes {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(claim.width, 0);
  header.writeUInt32BE(claim.height, 4);
  header.set([8, 2], 8);
  const row = Buffer.concat([Buffer.from([0]), Buffer.alloc(width * 3, 0x5a)]);
  const content = deflateSync(Buffer.concat(Array.from({ length: height }, () => row)));
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    pngChunk('IHDR', header),
    pngChunk('IDAT', content),
    pngChunk('IEND', Buffer.alloc(0)),
  ]);
}

function pngChunk(type: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  return Buffer.concat([uint32(content.length, 'BE'), body, uint32(crc32(body), 'BE')]);
}

/** A header that claims this size, without content. */
export function gif(width: number, height: number, more = ''): Bytes {
  const size = Buffer.alloc(4);
  size.writeUInt16LE(width, 0);
  size.writeUInt16LE(height, 2);
  return Buffer.concat([Buffer.from('GIF89a', 'latin1'), size, Buffer.from([0, 0, 0]), Buffer.from(more), Buffer.from(';')]);
}

export function jpegHeader(width: number, height: number): Bytes {
  const frame = Buffer.from([
    0xff,
    0xc0,
    0,
    17,
    8,
    height >> 8,
    height & 255,
    width >> 8,
    width & 255,
    3,
    1,
    0x22,
    0,
    2,
    0x11,
    1,
    3,
    0x11,
    1,
  ]);
  const comment = Buffer.concat([Buffer.from([0xff, 0xfe, 0, 12]), Buffer.from('0123456789')]);
  return Buffer.concat([Buffer.from([0xff, 0xd8]), comment, frame, Buffer.from([0xff, 0xd9])]);
}

export function webpHeader(width: number, height: number): Bytes {
  const canvas = Buffer.alloc(18);
  canvas.write('VP8X', 0, 'latin1');
  canvas.writeUInt32LE(10, 4);
  canvas.writeUIntLE(width - 1, 12, 3);
  canvas.writeUIntLE(height - 1, 15, 3);
  return Buffer.concat([Buffer.from('RIFF'), uint32(canvas.length + 4), Buffer.from('WEBP'), canvas]);
}

/** The type box of an MP4 or QuickTime file, and further bytes. */
export function isoVideo(brand: string, bytes = 1000): Bytes {
  const box = Buffer.from(`\0\0\0\x10ftyp${brand}\0\0\0\0`, 'latin1');
  return Buffer.concat([box, Buffer.from(Array.from({ length: bytes }, (_, n) => n % 251))]);
}

export function webm(documentType = 'webm'): Bytes {
  const type = Buffer.concat([Buffer.from([0x42, 0x82, 0x80 | documentType.length]), Buffer.from(documentType)]);
  return Buffer.concat([Buffer.from([0x1a, 0x45, 0xdf, 0xa3, 0x80 | type.length]), type, Buffer.alloc(100, 7)]);
}

export const pdf: Bytes = Buffer.from('%PDF-1.7\n1 0 obj<</Type/Catalog/OpenAction<</S/JavaScript/JS(app.alert(1))>>>>endobj\n%%EOF\n');

export interface ZipEntry {
  readonly name: string;
  readonly content?: Bytes | string;
  /** False values in the zip's directory. */
  readonly says?: { readonly unpacked?: number; readonly packed?: number; readonly offset?: number; readonly mode?: number };
}

export function zip(entries: readonly ZipEntry[], { comment = '', count = entries.length } = {}): Bytes {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, content = 'x', says = {} } of entries) {
    const plain = Buffer.from(content as string);
    const packed = deflateRawSync(plain);
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    describeEntry(local, 8, { crc: crc32(plain), packed: packed.length, unpacked: plain.length, name });
    const central = Buffer.alloc(46);
    central.writeUInt32LE(0x02014b50, 0);
    central.writeUInt8(3, 5);
    const sizes = { packed: says.packed ?? packed.length, unpacked: says.unpacked ?? plain.length };
    describeEntry(central, 10, { crc: crc32(plain), ...sizes, name });
    central.writeUInt16LE(says.mode ?? 0o100644, 40);
    central.writeUInt32LE(says.offset ?? offset, 42);
    locals.push(local, Buffer.from(name, 'latin1'), packed);
    directory.push(central, Buffer.from(name, 'latin1'));
    offset += local.length + name.length + packed.length;
  }
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(count, 8);
  end.writeUInt16LE(count, 10);
  end.writeUInt32LE(Buffer.concat(directory).length, 12);
  end.writeUInt32LE(offset, 16);
  end.writeUInt16LE(comment.length, 20);
  return Buffer.concat([...locals, ...directory, end, Buffer.from(comment)]);
}

/** Both headers hold method and sizes in the same order, two bytes apart. */
function describeEntry(header: Buffer, at: number, entry: { crc: number; packed: number; unpacked: number; name: string }): void {
  header.writeUInt16LE(8, at);
  header.writeUInt32LE(entry.crc, at + 6);
  header.writeUInt32LE(entry.packed, at + 10);
  header.writeUInt32LE(entry.unpacked, at + 14);
  header.writeUInt16LE(entry.name.length, at + 18);
}

function uint32(value: number, order: 'LE' | 'BE' = 'LE'): Buffer {
  const bytes = Buffer.alloc(4);
  if (order === 'LE') bytes.writeUInt32LE(value);
  else bytes.writeUInt32BE(value);
  return bytes;
}
