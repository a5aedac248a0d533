/** Width and height from an image's header, so that nothing has to be unpacked to know how large it would become. */
import type { FileBytes } from './file-bytes.ts';
import { binaryTypes, type FileType } from './file-types.ts';

export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** Undefined when the header is not what the signature promises. */
export async function readImageSize(type: FileType, bytes: FileBytes): Promise<ImageSize | undefined> {
  const head = await bytes.read(0, 32);
  const size =
    type === binaryTypes.jpeg ? await jpegSize(bytes) : head.length < 30 && type !== binaryTypes.gif ? undefined : sizeInHead(type, head);
  return size === undefined || size.width === 0 || size.height === 0 ? undefined : size;
}

function sizeInHead(type: FileType, head: Buffer): ImageSize | undefined {
  switch (type) {
    case binaryTypes.png:
      return head.toString('latin1', 12, 16) === 'IHDR' ? { width: head.readUInt32BE(16), height: head.readUInt32BE(20) } : undefined;
    case binaryTypes.gif:
      return head.length < 10 ? undefined : { width: head.readUInt16LE(6), height: head.readUInt16LE(8) };
    case binaryTypes.webp:
      return webpSize(head);
    default:
      return undefined;
  }
}

function webpSize(head: Buffer): ImageSize | undefined {
  switch (head.toString('latin1', 12, 16)) {
    case 'VP8X':
      return { width: head.readUIntLE(24, 3) + 1, height: head.readUIntLE(27, 3) + 1 };
    case 'VP8L': {
      if (head[20] !== 0x2f) return undefined;
      const bits = head.readUInt32LE(21);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case 'VP8 ':
      if (head.readUIntBE(23, 3) !== 0x9d012a) return undefined;
      return { width: head.readUInt16LE(26) & 0x3fff, height: head.readUInt16LE(28) & 0x3fff };
    default:
      return undefined;
  }
}

/** More segments than any camera writes before the picture begins. */
const MOST_SEGMENTS = 500;

/** A JPEG is a row of segments; the one that starts the frame holds the size. */
async function jpegSize(bytes: FileBytes): Promise<ImageSize | undefined> {
  let offset = 2;
  for (let n = 0; n < MOST_SEGMENTS; n++) {
    const segment = await bytes.read(offset, 9);
    if (segment.length < 9 || segment[0] !== 0xff) return undefined;
    const marker = segment[1] ?? 0;
    // Any number of fill bytes may stand before a marker.
    if (marker === 0xff) offset += 1;
    else if (isFrameStart(marker)) return { height: segment.readUInt16BE(5), width: segment.readUInt16BE(7) };
    else if (marker === 0xd9 || marker === 0xda) return undefined;
    else offset += 2 + segment.readUInt16BE(2);
  }
  return undefined;
}

/** C0 to CF but for the tables of Huffman codes, of extensions and of arithmetic conditioning. */
function isFrameStart(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
}
