/**
 * Reads an image from standard input and writes its preview to standard output: at most 720 pixels a side, watermarked, without the
 * original's metadata.
 */
import { constants, setPriority } from 'node:os';
import { buffer } from 'node:stream/consumers';
import sharp from 'sharp';
import { drawWatermark } from './watermark.ts';

const LONGEST_SIDE = 720;
const MOST_PIXELS = 50_000_000;

// Serving requests has priority.
setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
sharp.cache(false);
sharp.concurrency(1);
// Allow only the image formats that we accept.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({ operation: ['VipsForeignLoadJpeg', 'VipsForeignLoadPng', 'VipsForeignLoadWebp', 'VipsForeignLoadNsgif'] });

const { data, info } = await sharp(await buffer(process.stdin), { limitInputPixels: MOST_PIXELS, failOn: 'error' })
  .timeout({ seconds: 15 })
  .autoOrient()
  .resize(LONGEST_SIDE, LONGEST_SIDE, { fit: 'inside', withoutEnlargement: true })
  .toColourspace('srgb')
  .ensureAlpha()
  .raw()
  .toBuffer({ resolveWithObject: true });

// Decoded only now: the watermark is our own SVG, and the stranger's image is finished.
sharp.unblock({ operation: ['VipsForeignLoadSvg'] });
const picture = await sharp(data, { raw: { width: info.width, height: info.height, channels: info.channels } })
  .composite([{ input: Buffer.from(drawWatermark(info.width, info.height)) }])
  .webp({ quality: 70 })
  .toBuffer();
process.stdout.write(picture);
