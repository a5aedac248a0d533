/**
 * The signature that proves a webhook's origin to its receiver: `t=<seconds>,v1=<hex>`, HMAC-SHA256 over
 * `<seconds>.<raw body>`, keyed with the secret exactly as given to the agent. Server, SDK and CLI use this code.
 */

type WebhookKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

type Secret = string | WebhookKey;

/** Refuse an empty secret: anyone could sign with it. */
export function requireWebhookSecret(secret: string): string {
  if (secret === '') throw new TypeError('A webhook signature needs the webhook_secret of the agent.');
  return secret;
}

async function importSecret(secret: string): Promise<WebhookKey> {
  return await crypto.subtle.importKey(
    'raw',
    new TextEncoder().encode(requireWebhookSecret(secret)),
    { name: 'HMAC', hash: 'SHA-256' },
    false,
    ['sign', 'verify'],
  );
}

/** The text that a signature covers. */
export function webhookSignedText(seconds: number, rawBody: string): string {
  return `${seconds}.${rawBody}`;
}

/** Writes the header. During a rotation it has two digests, the new secret's first. A receiver accepts either. */
export function writeWebhookSignature(seconds: number, hexDigests: readonly string[]): string {
  return [`t=${seconds}`, ...hexDigests.map((digest) => `v1=${digest}`)].join(',');
}

/** Signs with WebCrypto, in Node and in browsers. */
export async function webhookSignature(secrets: readonly Secret[], seconds: number, rawBody: string): Promise<string> {
  const signed = new TextEncoder().encode(webhookSignedText(seconds, rawBody));
  const digests = await Promise.all(secrets.map(async (secret) => await crypto.subtle.sign('HMAC', await keyOf(secret), signed)));
  return writeWebhookSignature(
    seconds,
    digests.map((digest) => toHex(new Uint8Array(digest))),
  );
}

/** The parsed signature header, not yet verified. */
export interface WebhookSignature {
  readonly seconds: number;
  readonly digests: readonly Uint8Array<ArrayBuffer>[];
}

const MOST_DIGESTS = 10;

/** Returns undefined for a header in another form than `webhookSignature` writes. */
export function parseWebhookSignature(header: string): WebhookSignature | undefined {
  const parts = header.split(',').map((part) => part.trim());
  const times = parts.filter((part) => part.startsWith('t='));
  const seconds = /^t=(\d{1,12})$/.exec(times[0] ?? '')?.[1];
  const digests = parts.flatMap((part) => /^v1=([0-9a-f]{64})$/.exec(part)?.[1] ?? []);
  if (seconds === undefined || times.length !== 1 || digests.length === 0 || digests.length > MOST_DIGESTS) return undefined;
  return { seconds: Number(seconds), digests: digests.map(fromHex) };
}

/** Whether any of the digests was made with this secret over this body and time. `verify` compares in constant time. */
export async function isWebhookSigned({ seconds, digests }: WebhookSignature, body: Uint8Array, secret: Secret): Promise<boolean> {
  const key = await keyOf(secret);
  const signed = signedBytes(body, seconds);
  const verdicts = await Promise.all(digests.map((digest) => crypto.subtle.verify('HMAC', key, digest, signed)));
  return verdicts.includes(true);
}

async function keyOf(secret: Secret): Promise<WebhookKey> {
  return typeof secret === 'string' ? await importSecret(secret) : secret;
}

function signedBytes(body: Uint8Array, seconds: number): Uint8Array<ArrayBuffer> {
  const prefix = new TextEncoder().encode(webhookSignedText(seconds, ''));
  const bytes = new Uint8Array(prefix.length + body.length);
  bytes.set(prefix);
  bytes.set(body, prefix.length);
  return bytes;
}

function fromHex(hex: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array((hex.match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16)));
}

function toHex(bytes: Uint8Array): string {
  let hex = '';
  for (const byte of bytes) hex += byte.toString(16).padStart(2, '0');
  return hex;
}
