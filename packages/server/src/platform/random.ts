/** Randomness, always from the operating system's generator. */
import { randomBytes, randomInt } from 'node:crypto';

const BASE36 = '0123456789abcdefghijklmnopqrstuvwxyz';

/** `<prefix>_<milliseconds>_<9 base36 characters>` */
export function newId<P extends string>(prefix: P, now: Date): `${P}_${string}` {
  let suffix = '';
  for (let i = 0; i < 9; i++) suffix += BASE36[randomInt(36)];
  return `${prefix}_${now.getTime()}_${suffix}`;
}

export function newApiKey(): string {
  return `market_${randomBytes(24).toString('hex')}`;
}

export function newWebhookSecret(): string {
  return `whsec_${randomBytes(32).toString('hex')}`;
}

export function newOrderToken(): string {
  return `order_${randomBytes(24).toString('hex')}`;
}

export function newSessionToken(): string {
  return randomBytes(32).toString('base64url');
}

/** 128 bits as hex: the place of a file, which nobody can guess and nothing else will ever have. */
export function newStorageKey(): string {
  return randomBytes(16).toString('hex');
}
