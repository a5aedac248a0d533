/** Verifies that a call came from the marketplace, recently and unchanged. It uses WebCrypto only, so it runs in Node and in workers. */
import { isWebhookSigned, parseWebhookSignature, webhookSignature } from '@market/contract';
import { WebhookError } from './webhook-error.ts';
import { parseWebhookEvent, type WebhookEvent } from './webhook-event.ts';

const TOLERANCE_SECONDS = 300;

/**
 * `rawBody` is the body as received, before parsing. Throws a `WebhookError` with its reason. During a rotation of the secret, the
 * header carries a signature for each secret; one valid signature is enough.
 */
export async function verifyWebhook(
  rawBody: string | Uint8Array,
  header: string | null | undefined,
  secret: string,
  toleranceSeconds = TOLERANCE_SECONDS,
): Promise<WebhookEvent> {
  if (header === null || header === undefined || header === '') throw new WebhookError('missing_signature');
  const signature = parseWebhookSignature(header);
  if (signature === undefined) throw new WebhookError('malformed_signature');
  const body = typeof rawBody === 'string' ? new TextEncoder().encode(rawBody) : rawBody;
  if (!(await isWebhookSigned(signature, body, secret))) throw new WebhookError('wrong_signature');
  // Check the age after the signature, so that a forged call learns nothing.
  const age = Date.now() / 1000 - signature.seconds;
  if (age > toleranceSeconds) throw new WebhookError('too_old');
  if (age < -toleranceSeconds) throw new WebhookError('from_the_future');
  return parseWebhookEvent(decode(body));
}

/** Makes the marketplace's signature header for a body: for tests of receivers and for tools that forward calls. */
export async function signWebhook(rawBody: string, secret: string, seconds = Math.floor(Date.now() / 1000)): Promise<string> {
  return await webhookSignature([secret], seconds, rawBody);
}

function decode(body: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch (error) {
    throw new WebhookError('malformed_body', error);
  }
}
