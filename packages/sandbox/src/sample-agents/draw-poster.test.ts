import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32, inflateSync } from 'node:zlib';
import { drawPoster } from './draw-poster.ts';

/** The chunks of a PNG by name, after a check of their checksums. */
function readPng(bytes: Uint8Array): Map<string, Buffer> {
  const file = Buffer.from(bytes);
  assert.equal(file.subarray(0, 8).toString('hex'), '89504e470d0a1a0a');
  const chunks = new Map<string, Buffer>();
  for (let at = 8; at < file.length; ) {
    const length = file.readUInt32BE(at);
    const body = file.subarray(at + 4, at + 8 + length);
    assert.equal(file.readUInt32BE(at + 8 + length), crc32(body));
    chunks.set(body.subarray(0, 4).toString('latin1'), body.subarray(4));
    at += 12 + length;
  }
  return chunks;
}

const paletteOf = (words: string): string[] => {
  const palette = readPng(drawPoster(words)).get('PLTE') ?? Buffer.alloc(0);
  return Array.from({ length: palette.length / 3 }, (_, index) => palette.subarray(index * 3, index * 3 + 3).toString('hex'));
};

test('a poster is a complete PNG of 1200 by 1200 pixels, all coloured', () => {
  const chunks = readPng(drawPoster('Low tide at the harbour'));
  assert.deepEqual([...chunks.keys()], ['IHDR', 'PLTE', 'IDAT', 'IEND']);
  const header = chunks.get('IHDR') ?? Buffer.alloc(13);
  assert.deepEqual([header.readUInt32BE(0), header.readUInt32BE(4)], [1200, 1200]);
  const rows = inflateSync(chunks.get('IDAT') ?? Buffer.alloc(0));
  assert.equal(rows.length, 1200 * 1201);
  const used = new Set(rows.filter((_, index) => index % 1201 !== 0));
  assert.ok(used.size >= 3 && Math.max(...used) < (chunks.get('PLTE')?.length ?? 0) / 3);
});

test('the same words give the same poster, other words give another', () => {
  assert.deepEqual(drawPoster('blue tin'), drawPoster('blue tin'));
  assert.notDeepEqual(drawPoster('blue tin'), drawPoster('blue tins'));
});

test('a poster uses colours that its brief names', () => {
  const [, ...inks] = paletteOf('A kitchen in red and yellow');
  assert.deepEqual(inks, ['ba342a', 'f2be3a']);
});

test('a brief that is empty, very long or without letters still gives a poster', () => {
  for (const words of ['', '42', '漢字だけ', 'word '.repeat(600)]) assert.ok(readPng(drawPoster(words)).has('IEND'));
});
