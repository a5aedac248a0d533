/**
 * Finds the bytes of signatures in a URL, however a client wrote them. Clients use hex, base58, base64, lists of numbers, percent-escaped
 * bytes, the text of Python's `bytes`, or the parts of an EVM signature.
 */
import { base58 } from '@scure/base';

/** `r` and `s`, or an Ed25519 signature. */
const SIGNATURE_BYTES = 64;
const PART_BYTES = 32;
/** The limit per shape, because look-alikes may precede a signature. A URL of 16 KB has room for twice as many. */
const MOST_OF_A_SPELLING = 64;

// A lookbehind ties each shape to its start, so the search stays linear in the length of the URL.
const HEX = /(?<![0-9a-fA-F])[0-9a-fA-F]{128,}/g;
const BASE58 = /(?<![1-9A-HJ-NP-Za-km-z])z?[1-9A-HJ-NP-Za-km-z]{80,90}(?![1-9A-HJ-NP-Za-km-z])/g;
const BASE64 = /(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{86,88}(?![A-Za-z0-9+/_-])/g;
const NUMBERS = /(?<!\d)\d{1,3}(?:[^0-9A-Za-z]{1,4}\d{1,3}){63,}(?!\d)/g;
const PYTHON_BYTES = /b'(?:\\.|[^\\']){16,260}'|b"(?:\\.|[^\\"]){16,260}"/g;
const HEX_PARTS = /(?<![0-9a-fA-F])[0-9a-fA-F]{60,64}(?![0-9a-fA-F])/g;
const DECIMAL_PARTS = /(?<!\d)\d{70,78}(?!\d)/g;

/** `texts` are readings of one URL; the first is the URL as the request line has it. */
export function signatureBytesIn(texts: readonly string[]): Buffer[] {
  const [address = ''] = texts;
  const find = (shape: RegExp): string[] => [...new Set(texts.flatMap((text) => text.match(shape) ?? []))].slice(0, MOST_OF_A_SPELLING);
  return [
    ...find(HEX).map((text) => Buffer.from(text, 'hex')),
    ...find(BASE58).flatMap(fromBase58),
    ...find(BASE64).map((text) => Buffer.from(text, 'base64')),
    ...find(NUMBERS).flatMap(fromNumbers),
    ...find(PYTHON_BYTES).map(fromPython),
    ...fromParts(find(HEX_PARTS).map((text) => fromHexPart(text))),
    ...fromParts(find(DECIMAL_PARTS).map((text) => fromHexPart(BigInt(text).toString(16)))),
    ...fromEscapes(address),
  ].filter(({ length }) => length >= SIGNATURE_BYTES);
}

function fromBase58(text: string): Buffer[] {
  return [text, ...(text.startsWith('z') ? [text.slice(1)] : [])].flatMap((one) => {
    try {
      return [Buffer.from(base58.decode(one))];
    } catch {
      return [];
    }
  });
}

/** `1,2,…`, `[1,2,…]`, or `{"0":1,"1":2,…}`, where every other number is an index. */
function fromNumbers(list: string): Buffer[] {
  const numbers = (list.match(/\d+/g) ?? []).map(Number);
  const isIndexed = numbers.length >= 2 * SIGNATURE_BYTES && numbers.slice(0, 8).every((one, n) => n % 2 === 1 || one === n / 2);
  const bytes = isIndexed ? numbers.filter((_, n) => n % 2 === 1) : numbers;
  // Other numbers may surround the signature.
  const starts = [0, bytes.length - SIGNATURE_BYTES, bytes.length - SIGNATURE_BYTES - 1].filter((start) => start >= 0);
  return starts.map((start) => Buffer.from(bytes.slice(start, start + SIGNATURE_BYTES)));
}

const PYTHON_ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };

function fromPython(text: string): Buffer {
  const inner = text.slice(2, -1);
  const plain = inner.replace(/\\(?:x([0-9a-fA-F]{2})|(.))/gs, (_, hex?: string, escaped = '') =>
    hex === undefined ? (PYTHON_ESCAPES[escaped] ?? escaped) : String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Buffer.from(plain, 'latin1');
}

function fromHexPart(text: string): Buffer {
  return Buffer.from(text.padStart(2 * PART_BYTES, '0'), 'hex');
}

/** Joins each part with its successor. */
function fromParts(parts: readonly Buffer[]): Buffer[] {
  return parts.slice(1).map((part, n) => Buffer.concat([parts[n] ?? Buffer.alloc(0), part]));
}

/** Bytes percent-escaped into a field: every byte except letters, digits and some marks is an escape. */
function fromEscapes(address: string): Buffer[] {
  return address
    .split(/[?&=#/;]/)
    .filter((field) => field.length >= SIGNATURE_BYTES && field.includes('%'))
    .map((field) => Buffer.from(field.replaceAll('+', ' ').replace(/%([0-9a-f]{2})/gi, byteOfEscape), 'latin1'))
    .filter(({ length }) => length === SIGNATURE_BYTES || length === SIGNATURE_BYTES + 1);
}

function byteOfEscape(_: string, hex: string): string {
  return String.fromCharCode(Number.parseInt(hex, 16));
}
