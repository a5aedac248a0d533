/** Proves that a call came from the marketplace, just now and unchanged. WebCrypto only: it runs in Node, in workers and at the edge. */
import { WebhookError } from './webhook-error.ts';
import { parseWebhookEvent, type WebhookEvent } from './webhook-event.ts';

const TOLERANCE_SECONDS = 300;

/**
 * `rawBody` is what arrived, before anybody parsed it. Throws a `WebhookError` with its reason. While a secret is being replaced the
 * header carries a signature by each, and either will do.
 */
export async function verifyWebhook(
  rawBody: string | Uint8Array,
  header: string | null | undefined,
  secret: string,
  toleranceSeconds = TOLERANCE_SECONDS,
): Promise<WebhookEvent> {
  if (header === null || header === undefined || header === '') throw new WebhookError('missing_signature');
  const { seconds, signatures } = parseHeader(header);
  const body = typeof rawBody === 'string' ? new TextEncoder().encode(rawBody) : rawBody;
  if (!(await isSigned(body, seconds, signatures, secret))) throw new WebhookError('wrong_signature');
  // Only now: to a stranger the time is none of their business.
  const age = Date.now() / 1000 - seconds;
  if (age > toleranceSeconds) throw new WebhookError('too_old');
  if (age < -toleranceSeconds) throw new WebhookError('from_the_future');
  return parseWebhookEvent(decode(body));
}

/** The header for a body, as the marketplace makes it: for tests of a receiver and for tools that forward calls. */
export async function signWebhook(rawBody: string, secret: string, seconds = Math.floor(Date.now() / 1000)): Promise<string> {
  const signature = await crypto.subtle.sign('HMAC', await importKey(secret), signedBytes(new TextEncoder().encode(rawBody), seconds));
  return `t=${seconds},v1=${toHex(new Uint8Array(signature))}`;
}

/** `verify` compares in constant time. */
async function isSigned(
  body: Uint8Array,
  seconds: number,
  signatures: readonly Uint8Array<ArrayBuffer>[],
  secret: string,
): Promise<boolean> {
  const key = await importKey(secret);
  const signed = signedBytes(body, seconds);
  const verdicts = await Promise.all(signatures.map((signature) => crypto.subtle.verify('HMAC', key, signature, signed)));
  return verdicts.includes(true);
}

async function importKey(secret: string) {
  // An empty key is no key: anybody could sign with it.
  if (secret === '') throw new TypeError('verifyWebhook needs the webhook_secret of the agent.');
  return await crypto.subtle.importKey('raw', new TextEncoder().encode(secret), { name: 'HMAC', hash: 'SHA-256' }, false, [
    'sign',
    'verify',
  ]);
}

function signedBytes(body: Uint8Array, seconds: number): Uint8Array<ArrayBuffer> {
  const prefix = new TextEncoder().encode(`${seconds}.`);
  const bytes = new Uint8Array(prefix.length + body.length);
  bytes.set(prefix);
  bytes.set(body, prefix.length);
  return bytes;
}

const MOST_SIGNATURES = 10;

function parseHeader(header: string): { seconds: number; signatures: Uint8Array<ArrayBuffer>[] } {
  const parts = header.split(',').map((part) => part.trim());
  const times = parts.filter((part) => part.startsWith('t='));
  const seconds = /^t=(\d{1,12})$/.exec(times[0] ?? '')?.[1];
  const digests = parts.flatMap((part) => /^v1=([0-9a-f]{64})$/.exec(part)?.[1] ?? []);
  if (seconds === undefined || times.length !== 1 || digests.length === 0 || digests.length > MOST_SIGNATURES)
    throw new WebhookError('malformed_signature');
  return { seconds: Number(seconds), signatures: digests.map(fromHex) };
}

function fromHex(hex: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array((hex.match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16)));
}

function toHex(bytes: Uint8Array): string {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

function decode(body: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch (error) {
    throw new WebhookError('malformed_body', error);
  }
}
