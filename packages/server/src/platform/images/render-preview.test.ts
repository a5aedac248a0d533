import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { suite, test } from 'node:test';
import sharp from 'sharp';
import { some } from '../../../../../test/harness/thoroughness.ts';
import { imageBombs } from '../../../testing/image-bombs.ts';
import { PreviewFailedError, renderPreview } from './render-preview.ts';

const never = new AbortController().signal;

function plainPicture(width: number, height: number) {
  return sharp({ create: { width, height, channels: 3, background: '#336699' } });
}

test('a preview is at most 720 pixels a side, upright, watermarked, and without camera metadata', async () => {
  const photo = await plainPicture(2000, 1000)
    .jpeg()
    .withMetadata({ orientation: 6 })
    .withExifMerge({ IFD0: { Copyright: 'Ines' }, IFD3: { GPSLatitude: '51/1 30/1 0/1' } })
    .toBuffer();
  assert.ok((await sharp(photo).metadata()).exif);
  const preview = sharp(await renderPreview(Readable.from([photo]), never));
  const { format, width, height, exif } = await preview.metadata();
  assert.deepEqual({ format, width, height, exif }, { format: 'webp', width: 360, height: 720, exif: undefined });
  const { channels } = await preview.stats();
  assert.ok(
    channels.every(({ stdev }) => stdev > 5),
    'a picture of one colour has lines across it now',
  );
});

test('U07: an image that cannot or must not be decoded gives no preview, and ends only its own process', async () => {
  const picture = await plainPicture(400, 400).png().toBuffer();
  const hostile = [
    Buffer.from(''),
    Buffer.from('GIF89a'),
    Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><image href="file:///etc/passwd"/></svg>'),
    picture.subarray(0, picture.length / 2),
    await plainPicture(10, 10).tiff().toBuffer(),
    await plainPicture(8_000, 7_000).png({ compressionLevel: 1 }).toBuffer(),
  ];
  for (const content of hostile) await assert.rejects(renderPreview(Readable.from([content]), never), PreviewFailedError);
});

/** The largest allowed upload. */
const MOST_BYTES = 50 * 1024 * 1024;
/** Memory of a Node process, plus a picture of 50 megapixels with 8 bytes each. */
const MOST_RESIDENT_MIB = 900;

suite('pictures made to cost the most', { skip: process.platform !== 'linux' && 'memory is limited and read on Linux' }, () => {
  for (const { what, make } of some(imageBombs(MOST_BYTES), 1)) {
    test(`U07: ${what}: its decoder is ended before it takes ${MOST_RESIDENT_MIB} MiB`, async (t) => {
      const content = make();
      assert.ok(content.length <= MOST_BYTES);
      const started = performance.now();
      const { peakMib } = await watchChildren(renderPreview(Readable.from([content]), never).catch(onlyFailed));
      t.diagnostic(`${content.length} bytes, ${Math.round(performance.now() - started)} ms, ${Math.round(peakMib)} MiB`);
      assert.ok(peakMib > 0 && peakMib < MOST_RESIDENT_MIB, `${Math.round(peakMib)} MiB`);
    });
  }
});

function onlyFailed(error: unknown): void {
  assert.ok(error instanceof PreviewFailedError);
}

/** The highest resident memory of a child process during the work. */
async function watchChildren(work: Promise<unknown>): Promise<{ readonly peakMib: number }> {
  let peakMib = 0;
  const timer = setInterval(async () => {
    const children = await readFile(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8').catch(() => '');
    for (const child of children.split(' ').filter((id) => id !== '')) {
      const status = await readFile(`/proc/${child}/status`, 'utf8').catch(() => '');
      peakMib = Math.max(peakMib, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
    }
  }, 5);
  await work.finally(() => clearInterval(timer));
  return { peakMib };
}

test('a storage failure during reading is not mistaken for a bad image', async () => {
  const failing = new Readable({
    read() {
      this.destroy(new Error('the store is away'));
    },
  });
  await assert.rejects(renderPreview(failing, never), /the store is away/);
});
