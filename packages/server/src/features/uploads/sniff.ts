/** Names a binary file by the bytes it begins with. */
import { binaryTypes, type FileType } from './file-types.ts';

/** Brands under which an ISO media file is a still image or sound, which are not taken. */
const OTHER_MEDIA = /^(hei[cxms]|hev[cx]|mif1|msf1|avi[fs]|M4A |M4B |M4P |F4A |F4B |crx )$/;

export const HEAD_BYTES = 64;

export function sniff(head: Buffer): FileType | undefined {
  const text = head.toString('latin1');
  if (text.startsWith('\xff\xd8\xff')) return binaryTypes.jpeg;
  if (text.startsWith('\x89PNG\r\n\x1a\n')) return binaryTypes.png;
  if (/^GIF8[79]a/.test(text)) return binaryTypes.gif;
  if (text.startsWith('RIFF') && text.slice(8, 12) === 'WEBP') return binaryTypes.webp;
  if (text.startsWith('%PDF-')) return binaryTypes.pdf;
  if (/^PK(\x03\x04|\x05\x06)/.test(text)) return binaryTypes.zip;
  if (text.startsWith('\x1a\x45\xdf\xa3')) return isWebm(text) ? binaryTypes.webm : undefined;
  return sniffIsoMedia(text);
}

/** Several formats use EBML; the document type is an element of its own within the first bytes. */
function isWebm(text: string): boolean {
  return text.includes('\x42\x82\x84webm');
}

function sniffIsoMedia(text: string): FileType | undefined {
  const box = text.slice(4, 8);
  if (box === 'ftyp') {
    const brand = text.slice(8, 12);
    if (brand === 'qt  ') return binaryTypes.quicktime;
    return OTHER_MEDIA.test(brand) || !/^[\w ]{4}$/.test(brand) ? undefined : binaryTypes.mp4;
  }
  // Old cameras leave the type box out. The box's size comes first, and no text begins with a NUL.
  return ['moov', 'mdat', 'wide'].includes(box) && text.startsWith('\0') ? binaryTypes.quicktime : undefined;
}
