/** Downloads a picture once, to prove that there is one: of a known type, small enough, at a public address. */
import { MarketError } from '@market/contract';
import type { OutboundClient } from '../../platform/outbound/outbound-client.ts';

const MOST_BYTES = 5 * 1024 * 1024;
const TIMEOUT_MS = 15_000;

export async function requireImage(outbound: Pick<OutboundClient, 'get'>, url: string, signal: AbortSignal): Promise<void> {
  const answer = await outbound.get(url, { headers: { Accept: 'image/*' }, timeoutMs: TIMEOUT_MS, maxResponseBytes: MOST_BYTES, signal });
  if (!answer.ok) {
    if (answer.kind === 'refused')
      throw new MarketError('token_image_invalid', { message: `The image cannot be loaded. ${answer.message}` });
    if (answer.kind === 'too_large') throw new MarketError('token_image_invalid', { message: 'The image is larger than 5 MB.' });
    throw new MarketError('token_image_unreachable');
  }
  if (answer.status !== 200)
    throw new MarketError('token_image_unreachable', { message: `The address of the image answered ${answer.status}. Nothing was paid.` });
  if (!isPicture(answer.body)) throw new MarketError('token_image_invalid', { message: 'The image must be a JPEG, PNG, GIF or WebP.' });
}

/** By its first bytes, whatever type the server states. */
export function isPicture(bytes: Buffer): boolean {
  const begins = (hex: string) => bytes.subarray(0, hex.length / 2).toString('hex') === hex;
  const isWebp = begins('52494646') && bytes.subarray(8, 12).toString('latin1') === 'WEBP';
  return begins('ffd8ff') || begins('89504e470d0a1a0a') || begins('474946383961') || begins('474946383761') || isWebp;
}
