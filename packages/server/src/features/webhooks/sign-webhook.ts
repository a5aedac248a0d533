/** Signs webhooks with Node's own HMAC: WebCrypto hands each signature to a thread, which costs more than the rest of a call. */
import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { requireWebhookSecret, webhookSignedText, writeWebhookSignature } from '@market/contract';

/** Cached per secret. */
export type SigningKey = KeyObject;

export function signingKeyOf(secret: string): SigningKey {
  return createSecretKey(requireWebhookSecret(secret), 'utf8');
}

/** The value of the signature header: signed with each key, the current one first. */
export function signWebhook(keys: readonly SigningKey[], seconds: number, body: string): string {
  const text = webhookSignedText(seconds, body);
  return writeWebhookSignature(
    seconds,
    keys.map((key) => createHmac('sha256', key).update(text).digest('hex')),
  );
}
