import { promisify } from 'node:util';
import { type BrotliCompress, brotliCompress, constants, createBrotliCompress, createGzip, type Gzip, gzip } from 'node:zlib';

export type Encoding = 'br' | 'gzip';

/** Prefers speed to size, because these bytes change. */
const BROTLI_QUALITY = 4;
const GZIP_LEVEL = 5;

export async function compress(content: Buffer, encoding: Encoding): Promise<Buffer> {
  const quick = { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY, [constants.BROTLI_PARAM_SIZE_HINT]: content.length } };
  return encoding === 'br' ? await promisify(brotliCompress)(content, quick) : await promisify(gzip)(content, { level: GZIP_LEVEL });
}

/** A compressor for content that arrives in parts. */
export function createCompressor(encoding: Encoding): BrotliCompress | Gzip {
  return encoding === 'br'
    ? createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } })
    : createGzip({ level: GZIP_LEVEL });
}
