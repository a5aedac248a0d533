/** Pictures of a few kilobytes, or of exactly the upload limit, that cost a decoder as much memory and time as their format allows. */
import { crc32, deflateSync } from 'node:zlib';

export interface ImageBomb {
  readonly what: string;
  readonly make: () => Buffer;
}

/** A square with these sides is the largest picture that an upload may decode to. */
const SIDE = 7_071;

export function imageBombs(mostBytes: number): readonly ImageBomb[] {
  return [
    { what: 'PNG, 50 megapixels, filled up with compressed text to the limit', make: () => withTexts(pngOf(SIDE, SIDE), mostBytes) },
    { what: 'PNG, 50 megapixels, 16 bit RGBA, interlaced', make: () => pngOf(SIDE, SIDE, { depth: 16, interlaced: true }) },
    { what: 'GIF, 50 megapixels, frames up to the limit', make: () => gifOf(SIDE, SIDE, mostBytes) },
    { what: 'GIF, 1 pixel, whose frame has 65,535 by 65,535', make: () => gifOf(1, 1, 0, 65_535) },
    { what: 'JPEG, 50 megapixels, 100 progressive scans', make: () => jpegOf(SIDE, SIDE, 100) },
    { what: 'JPEG, 50 megapixels, progressive scans up to the limit', make: () => jpegOf(SIDE, SIDE, Number.POSITIVE_INFINITY, mostBytes) },
    { what: 'WebP, animated, frames up to the limit', make: () => webpOf(SIDE, SIDE, mostBytes) },
  ];
}

function pngOf(width: number, height: number, { depth = 8, interlaced = false } = {}): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([depth, 6, 0, 0, interlaced ? 1 : 0], 8);
  const bytesPerPixel = (depth / 8) * 4;
  const passes = interlaced ? adam7(width, height) : [{ width, height }];
  const raw = passes.reduce((sum, pass) => sum + (pass.width * bytesPerPixel + 1) * pass.height, 0);
  const content = deflateSync(Buffer.alloc(raw), { level: 9 });
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    pngChunk('IHDR', header),
    pngChunk('IDAT', content),
    pngChunk('IEND', Buffer.alloc(0)),
  ]);
}

function adam7(width: number, height: number) {
  const starts = [
    [0, 0, 8, 8],
    [4, 0, 8, 8],
    [0, 4, 4, 8],
    [2, 0, 4, 4],
    [0, 2, 2, 4],
    [1, 0, 2, 2],
    [0, 1, 1, 2],
  ] as const;
  return starts.map(([x, y, stepX, stepY]) => ({ width: Math.ceil((width - x) / stepX), height: Math.ceil((height - y) / stepY) }));
}

/** Adds text chunks that each unpack to a thousand times their size. */
function withTexts(png: Buffer, mostBytes: number): Buffer {
  const packed = deflateSync(Buffer.alloc(8 * 1024 * 1024, 0x20), { level: 9 });
  const text = pngChunk('zTXt', Buffer.concat([Buffer.from('Comment\0\0', 'latin1'), packed]));
  const count = Math.floor((mostBytes - png.length) / text.length);
  const headEnd = 8 + 25;
  return Buffer.concat([png.subarray(0, headEnd), ...Array.from({ length: count }, () => text), png.subarray(headEnd)]);
}

function pngChunk(type: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(content.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

function gifOf(width: number, height: number, fillTo: number, frameSide?: number): Buffer {
  const head = Buffer.from('GIF89a\0\0\0\0\x80\0\0\0\0\0\xff\xff\xff', 'latin1');
  head.writeUInt16LE(width, 6);
  head.writeUInt16LE(height, 8);
  const frame = Buffer.from('\x21\xf9\x04\0\x02\0\0\0\x2c\0\0\0\0\x01\0\x01\0\0\x02\x02\x44\x01\0', 'latin1');
  if (frameSide !== undefined) {
    frame.writeUInt16LE(frameSide, 13);
    frame.writeUInt16LE(frameSide, 15);
  }
  const count = Math.max(1, Math.floor((fillTo - head.length - 1) / frame.length));
  const frames = Buffer.alloc(count * frame.length);
  for (let at = 0; at < frames.length; at += frame.length) frame.copy(frames, at);
  return Buffer.concat([head, frames, Buffer.from(';')]);
}

/** One component and one colour: each scan covers every block of the picture and takes only a few bytes. */
function jpegOf(width: number, height: number, mostScans: number, fillTo = 0): Buffer {
  const blocks = Math.ceil(width / 8) * Math.ceil(height / 8);
  const frame = Buffer.from([0xff, 0xc2, 0, 11, 8, height >> 8, height & 255, width >> 8, width & 255, 1, 1, 0x11, 0]);
  const quantisation = Buffer.concat([Buffer.from([0xff, 0xdb, 0, 67, 0]), Buffer.alloc(64, 1)]);
  // DC: the difference 0 has the code 0. AC: the code 0 ends a run of 2^14 blocks plus the number in 14 more bits; the code 10 ends one
  // block.
  const dcTable = Buffer.from([0xff, 0xc4, 0, 20, 0x00, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
  const acTable = Buffer.from([0xff, 0xc4, 0, 21, 0x10, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xe0, 0x00]);
  const dcScan = Buffer.concat([Buffer.from([0xff, 0xda, 0, 8, 1, 1, 0x00, 0, 0, 0]), Buffer.alloc(Math.ceil(blocks / 8))]);
  const acScan = Buffer.concat([Buffer.from([0xff, 0xda, 0, 8, 1, 1, 0x00, 1, 63, 0]), runs(blocks)]);
  const start = Buffer.concat([Buffer.from([0xff, 0xd8]), quantisation, frame, dcTable, acTable, dcScan]);
  const room = Math.floor((fillTo - start.length - 2) / acScan.length);
  const count = Math.min(mostScans, fillTo === 0 ? mostScans : room);
  const scans = Buffer.alloc(count * acScan.length);
  for (let at = 0; at < scans.length; at += acScan.length) acScan.copy(scans, at);
  return Buffer.concat([start, scans, Buffer.from([0xff, 0xd9])]);
}

/** The bits for "no coefficients in the next 32767 blocks", repeated to cover `blocks`. */
function runs(blocks: number): Buffer {
  let bits = '';
  for (let left = blocks; left > 0; ) {
    const run = Math.min(left, 32_767);
    if (run >= 16_384) {
      bits += `0${(run - 16_384).toString(2).padStart(14, '0')}`;
      left -= run;
    } else {
      bits += '10';
      left -= 1;
    }
  }
  bits = bits.padEnd(Math.ceil(bits.length / 8) * 8, '1');
  const bytes: number[] = [];
  for (let at = 0; at < bits.length; at += 8) {
    const byte = Number.parseInt(bits.slice(at, at + 8), 2);
    bytes.push(byte);
    if (byte === 0xff) bytes.push(0);
  }
  return Buffer.from(bytes);
}

function webpOf(width: number, height: number, fillTo: number): Buffer {
  const canvas = Buffer.alloc(10);
  canvas[0] = 0x02;
  canvas.writeUIntLE(width - 1, 4, 3);
  canvas.writeUIntLE(height - 1, 7, 3);
  // A lossless picture of one pixel.
  const pixel = riff('VP8L', Buffer.from([0x2f, 0, 0, 0, 0x10, 0x07, 0x10, 0x11, 0x11, 0x88, 0x88, 0x08, 0]));
  const header = Buffer.alloc(16);
  header.writeUIntLE(40, 12, 3);
  const frame = riff('ANMF', Buffer.concat([header, pixel]));
  const start = [riff('VP8X', canvas), riff('ANIM', Buffer.alloc(6))];
  const count = Math.max(1, Math.floor((fillTo - 100) / frame.length));
  const frames = Buffer.alloc(count * frame.length);
  for (let at = 0; at < frames.length; at += frame.length) frame.copy(frames, at);
  return riff('RIFF', Buffer.concat([Buffer.from('WEBP'), ...start, frames]));
}

function riff(type: string, content: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(content.length);
  return Buffer.concat([Buffer.from(type, 'latin1'), length, content, Buffer.alloc(content.length % 2)]);
}
