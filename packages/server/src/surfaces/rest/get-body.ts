/** Reads the body of a GET. HTTP gives it no meaning, but the specification describes such a hire. */
import type { IncomingMessage } from 'node:http';
import { MarketError } from '@market/contract';
import { DEFAULT_BODY_BYTES } from './http-server.ts';
import { parseJsonBody } from './json-body.ts';

/** Undefined if there is no body. */
export async function readGetBody(request: IncomingMessage): Promise<unknown> {
  const { 'content-length': length, 'transfer-encoding': encoding, 'content-type': type = '' } = request.headers;
  if (encoding === undefined && (length === undefined || length === '0')) return undefined;
  if (!/^application\/json\b/i.test(type)) throw new MarketError('unsupported_media_type');
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > DEFAULT_BODY_BYTES) throw new MarketError('body_too_large');
    chunks.push(chunk);
  }
  return parseJsonBody(Buffer.concat(chunks));
}
