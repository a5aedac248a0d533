/** Real files of every type, made by other programs. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import sharp, { type Sharp } from 'sharp';
import { judgeFile } from './judge-file.ts';

let folder: string;
before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'market-judge-'));
});
after(() => rm(folder, { recursive: true, force: true }));

async function judge(content: Buffer, { fileName = 'file', declaredType = '' } = {}) {
  const file = path.join(folder, 'file');
  await writeFile(file, content);
  return await judgeFile({ path: file, sizeBytes: content.length, sha256: '', fileName, declaredType, discard: async () => undefined });
}

function picture(width: number, height: number) {
  return sharp({ create: { width, height, channels: 4, background: { r: 200, g: 30, b: 90, alpha: 0.5 } } });
}

const formats: readonly [title: string, contentType: string, make: (image: Sharp) => Sharp][] = [
  ['baseline JPEG', 'image/jpeg', (image) => image.jpeg()],
  ['progressive JPEG', 'image/jpeg', (image) => image.jpeg({ progressive: true })],
  [
    'JPEG with a camera’s metadata and colour profile',
    'image/jpeg',
    (image) =>
      image
        .jpeg()
        .withExif({ IFD0: { Make: 'x'.repeat(40_000) } })
        .withIccProfile('p3'),
  ],
  ['PNG', 'image/png', (image) => image.png()],
  ['interlaced PNG', 'image/png', (image) => image.png({ progressive: true })],
  ['lossy WebP', 'image/webp', (image) => image.flatten().webp()],
  ['WebP with transparency', 'image/webp', (image) => image.webp()],
  ['lossless WebP', 'image/webp', (image) => image.webp({ lossless: true })],
  ['GIF', 'image/gif', (image) => image.gif()],
];

for (const [title, contentType, make] of formats) {
  test(`width and height of a real image are read from its header: ${title}`, async () => {
    for (const [width, height] of [
      [1, 1],
      [640, 123],
      [3, 2000],
    ] as const) {
      const { type, size } = await judge(await make(picture(width, height)).toBuffer(), { declaredType: contentType });
      assert.deepEqual([type.contentType, size], [contentType, { width, height }]);
    }
  });
}

test('image formats that are not supported are refused', async () => {
  for (const make of [(image: Sharp) => image.tiff(), (image: Sharp) => image.avif({ effort: 0 })])
    await assert.rejects(judge(await make(picture(8, 8)).toBuffer(), { fileName: 'a.png' }), { code: 'unsupported_file_type' });
});

test('a character split by chunked reading is still text, and a truncated one at the end is not', async () => {
  const text = Buffer.concat([Buffer.alloc(256 * 1024 - 1, 'a'), Buffer.from('ü€😀')]);
  assert.equal((await judge(text)).type.contentType, 'text/plain');
  await assert.rejects(judge(text.subarray(0, -1)), { code: 'unsupported_file_type' });
  await assert.rejects(judge(Buffer.concat([text, Buffer.from([0])])), { code: 'unsupported_file_type' });
});
