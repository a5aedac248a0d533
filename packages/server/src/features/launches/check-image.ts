/** Proves that there is a picture, of a known type and small enough: an upload of the caller or the agent's owner, or downloaded once from a public address. */
import { MarketError } from '@market/contract';
import type { Call } from '../../access/call.ts';
import type { PicturedAgent } from '../../access/shown-pictures.ts';
import type { LaunchesContext } from './launches-context.ts';

const MOST_BYTES = 5 * 1024 * 1024;
const TIMEOUT_MS = 15_000;
const TOO_LARGE = 'The image is larger than 5 MB.';
const NO_PICTURE = 'The image must be a JPEG, PNG, GIF or WebP.';

/** The address to keep. */
export async function requireImage(
  { files, outbound }: Pick<LaunchesContext, 'files' | 'outbound'>,
  url: string,
  agent: PicturedAgent,
  { caller, gone }: Pick<Call, 'caller' | 'gone'>,
): Promise<string> {
  const own = await files.findPicture(url, caller, agent);
  if (own === undefined) {
    await download(outbound, url, gone);
    return url;
  }
  // Uploads are typed by their content, and all images among them are of the four types.
  if (own.mediaType !== 'image') throw new MarketError('token_image_invalid', { message: NO_PICTURE });
  if (own.sizeBytes > MOST_BYTES) throw new MarketError('token_image_invalid', { message: TOO_LARGE });
  return own.url;
}

async function download(outbound: LaunchesContext['outbound'], url: string, signal: AbortSignal): Promise<void> {
  const answer = await outbound.get(url, { headers: { Accept: 'image/*' }, timeoutMs: TIMEOUT_MS, maxResponseBytes: MOST_BYTES, signal });
  if (!answer.ok) {
    if (answer.kind === 'refused')
      throw new MarketError('token_image_invalid', { message: `The image cannot be loaded. ${answer.message}` });
    if (answer.kind === 'too_large') throw new MarketError('token_image_invalid', { message: TOO_LARGE });
    throw new MarketError('token_image_unreachable');
  }
  if (answer.status !== 200)
    throw new MarketError('token_image_unreachable', { message: `The address of the image answered ${answer.status}. Nothing was paid.` });
  if (!isPicture(answer.body)) throw new MarketError('token_image_invalid', { message: NO_PICTURE });
}

/** By its first bytes, whatever type the server states. */
export function isPicture(bytes: Buffer): boolean {
  const begins = (hex: string) => bytes.subarray(0, hex.length / 2).toString('hex') === hex;
  const isWebp = begins('52494646') && bytes.subarray(8, 12).toString('latin1') === 'WEBP';
  return begins('ffd8ff') || begins('89504e470d0a1a0a') || begins('474946383961') || begins('474946383761') || isWebp;
}
