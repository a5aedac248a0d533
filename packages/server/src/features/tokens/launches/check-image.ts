/**
 * Proves that there is a picture, of a known type and small enough. It is an upload of the caller or the agent's owner, or downloaded once
 * from a public address. Either way the stored address is ours, so that everybody sees the picture that was checked.
 */
import { MarketError } from '@market/contract';
import type { Call } from '../../../access/call.ts';
import type { PicturedAgent } from '../../../access/shown-pictures.ts';
import type { LaunchesContext } from './launches-context.ts';

const MOST_BYTES = 5 * 1024 * 1024;
const TIMEOUT_MS = 15_000;
const TOO_LARGE = 'The image is larger than 5 MB.';
const NO_PICTURE = 'The image must be a JPEG, PNG, GIF or WebP.';

/** Returns the address to store, without a grant. */
export async function requireImage(
  { files, outbound }: Pick<LaunchesContext, 'files' | 'outbound'>,
  url: string,
  agent: PicturedAgent,
  call: Pick<Call, 'caller' | 'gone' | 'log'>,
): Promise<string> {
  const own = await files.findPicture(url, call.caller, agent);
  if (own === undefined) return await keepCopy(files, await download(outbound, url, call.gone), call);
  // Uploads are typed by their content, and all images among them are of the four types.
  if (own.mediaType !== 'image') throw new MarketError('token_image_invalid', { message: NO_PICTURE });
  if (own.sizeBytes > MOST_BYTES) throw new MarketError('token_image_invalid', { message: TOO_LARGE });
  return own.url;
}

const UNFIT: ReadonlySet<string> = new Set(['unsupported_file_type', 'image_too_large']);

async function keepCopy(files: LaunchesContext['files'], bytes: Buffer, call: Pick<Call, 'caller' | 'log'>): Promise<string> {
  try {
    return (await files.copyPicture(bytes, call)).url;
  } catch (error) {
    if (error instanceof MarketError && UNFIT.has(error.code)) throw new MarketError('token_image_invalid', { message: error.message });
    throw error;
  }
}

async function download(outbound: LaunchesContext['outbound'], url: string, signal: AbortSignal): Promise<Buffer> {
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
  return answer.body;
}

/** Recognises a picture by its first bytes, whatever type the server states. */
export function isPicture(bytes: Buffer): boolean {
  const begins = (hex: string) => bytes.subarray(0, hex.length / 2).toString('hex') === hex;
  const isWebp = begins('52494646') && bytes.subarray(8, 12).toString('latin1') === 'WEBP';
  return begins('ffd8ff') || begins('89504e470d0a1a0a') || begins('474946383961') || begins('474946383761') || isWebp;
}
