import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drawFixed, freePath, maskRules, multiply, qrMatrix } from './qr-matrix.ts';

/** The numbers of the standard for level M, written down a second time: data bytes per block, correction bytes, alignment. */
const layouts = [
  { blocks: [16], correction: 10, alignment: [] },
  { blocks: [28], correction: 16, alignment: [6, 18] },
  { blocks: [44], correction: 26, alignment: [6, 22] },
  { blocks: [32, 32], correction: 18, alignment: [6, 26] },
  { blocks: [43, 43], correction: 24, alignment: [6, 30] },
  { blocks: [27, 27, 27, 27], correction: 16, alignment: [6, 34] },
  { blocks: [31, 31, 31, 31], correction: 18, alignment: [6, 22, 38] },
  { blocks: [38, 38, 39, 39], correction: 22, alignment: [6, 24, 42] },
  { blocks: [36, 36, 36, 37, 37], correction: 22, alignment: [6, 26, 46] },
  { blocks: [43, 43, 43, 43, 44], correction: 26, alignment: [6, 28, 50] },
];

/** Reads a code as a scanner does, and insists that every block's correction bytes fit its data. */
function scan(rows: readonly (readonly boolean[])[]): string {
  const version = (rows.length - 17) / 4;
  const layout = layouts[version - 1];
  assert.ok(layout, `version ${version}`);
  const mask = readMask(rows);
  const rule = maskRules[mask];
  const bits = freePath(drawFixed(version, layout.alignment, mask)).map(([row, column]) =>
    rows[row]?.[column] !== rule?.(row, column) ? 1 : 0,
  );
  const words = Array.from({ length: Math.floor(bits.length / 8) }, (_, at) => Number.parseInt(bits.slice(at * 8, at * 8 + 8).join(''), 2));
  const blocks = separate(words, layout);
  for (const block of blocks) assert.ok(isSound(block, layout.correction), 'a block with its correction is divisible');
  const data = blocks.flatMap((block) => block.slice(0, -layout.correction));
  const stream = data.map((word) => word.toString(2).padStart(8, '0')).join('');
  assert.equal(stream.slice(0, 4), '0100', 'byte mode');
  const lengthBits = version < 10 ? 8 : 16;
  const length = Number.parseInt(stream.slice(4, 4 + lengthBits), 2);
  const from = 4 + lengthBits;
  const bytes = Array.from({ length }, (_, at) => Number.parseInt(stream.slice(from + at * 8, from + at * 8 + 8), 2));
  return new TextDecoder().decode(Uint8Array.from(bytes));
}

function readMask(rows: readonly (readonly boolean[])[]): number {
  const bit = (row: number, column: number): number => (rows[row]?.[column] === true ? 1 : 0);
  const first = [bit(0, 8), bit(1, 8), bit(2, 8), bit(3, 8), bit(4, 8), bit(5, 8), bit(7, 8), bit(8, 8), bit(8, 7)];
  for (let column = 5; column >= 0; column -= 1) first.push(bit(8, column));
  const size = rows.length;
  const second = [
    ...Array.from({ length: 8 }, (_, at) => bit(8, size - 1 - at)),
    ...Array.from({ length: 7 }, (_, at) => bit(size - 7 + at, 8)),
  ];
  assert.deepEqual(first, second, 'both copies of the format agree');
  const format = first.reduceRight((value, next) => value * 2 + next, 0) ^ 0x5412;
  assert.equal(format >> 13, 0, 'level M');
  return format >> 10;
}

function separate(words: readonly number[], { blocks, correction }: { blocks: readonly number[]; correction: number }): number[][] {
  const parts: number[][] = blocks.map(() => []);
  let at = 0;
  for (let place = 0; place < Math.max(...blocks); place += 1)
    for (const [index, length] of blocks.entries()) if (place < length) parts[index]?.push(words[at++] ?? -1);
  for (let place = 0; place < correction; place += 1) for (const part of parts) part.push(words[at++] ?? -1);
  return parts;
}

/** A sound block, as a polynomial, is zero at each of the generator's roots. */
function isSound(block: readonly number[], correction: number): boolean {
  let root = 1;
  for (let power = 0; power < correction; power += 1, root = multiply(root, 2)) {
    if (block.reduce((value, word) => multiply(value, root) ^ word, 0) !== 0) return false;
  }
  return true;
}

test('what is written can be read again, in every size', () => {
  for (const length of [1, 14, 15, 26, 42, 62, 84, 106, 122, 152, 180, 213]) {
    const text = Array.from({ length }, (_, at) => String.fromCharCode(33 + ((at * 7) % 90))).join('');
    assert.equal(scan(qrMatrix(text)), text, `${length} bytes`);
  }
});

test('a payment link fits and survives with its marks', () => {
  const link = `ethereum:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913@8453/transfer?address=0x2B5AD5c4795c026514f8317c7a215E218DcCD6cF&uint256=180000000`;
  assert.equal(scan(qrMatrix(link)), link);
});

test('the field is the one of the standard: 2^8 is 29', () => {
  assert.deepEqual([multiply(128, 2), multiply(1, 77), multiply(0, 77)], [29, 77, 0]);
});

test('too long a text is refused instead of cut', () => {
  assert.throws(() => qrMatrix('x'.repeat(214)), /too long/);
});
