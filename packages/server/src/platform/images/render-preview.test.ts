import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import sharp from 'sharp';
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

test('a storage failure during reading is not mistaken for a bad image', async () => {
  const failing = new Readable({
    read() {
      this.destroy(new Error('the store is away'));
    },
  });
  await assert.rejects(renderPreview(failing, never), /the store is away/);
});
