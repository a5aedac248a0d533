import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

export type Encoding = 'br' | 'gzip';

/** Quick rather than small: these bytes change. */
export async function compress(content: Buffer, encoding: Encoding): Promise<Buffer> {
  const quick = { params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_SIZE_HINT]: content.length } };
  return encoding === 'br' ? await promisify(brotliCompress)(content, quick) : await promisify(gzip)(content, { level: 5 });
}
