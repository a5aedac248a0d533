/** Randomness, always from the operating system's generator. */
import { randomBytes, randomInt } from 'node:crypto';

const BASE36 = '0123456789abcdefghijklmnopqrstuvwxyz';

/** `<prefix>_<milliseconds>_<9 base36 characters>` */
export function newId<P extends string>(prefix: P, now: Date): `${P}_${string}` {
  let suffix = '';
  for (let i = 0; i < 9; i++) suffix += BASE36[randomInt(36)];
  return `${prefix}_${now.getTime()}_${suffix}`;
}

/** 10 random characters of base36: the end of a generated name. */
export function newNameEnd(): string {
  return Array.from({ length: 10 }, () => BASE36[randomInt(36)]).join('');
}

export function newApiKey(): string {
  return `market_${randomBytes(24).toString('hex')}`;
}

export function newWebhookSecret(): string {
  return `whsec_${randomBytes(32).toString('hex')}`;
}

/** A token that only reads its order, so it may be part of a URL. */
export function newReadToken(): string {
  return `order_${randomBytes(24).toString('hex')}`;
}

/** A token that acts as the buyer. Its own prefix lets a URL that contains one be refused without a lookup. */
export function newBuyerToken(): string {
  return `buyer_${randomBytes(24).toString('hex')}`;
}

/** The secret with which the sandbox demo bypasses the rate limits of this process. */
export function newSandboxPass(): string {
  return randomBytes(32).toString('base64url');
}

export function newSessionToken(): string {
  return randomBytes(32).toString('base64url');
}

/** 64 bits as hex: the unique part of a sign-in nonce. */
export function newNonceSeed(): string {
  return randomBytes(8).toString('hex');
}

/** 128 bits as hex: the storage key of a file, unique and impossible to guess. */
export function newStorageKey(): string {
  return randomBytes(16).toString('hex');
}

/** A UUID of version 7: it begins with the time, so that rows written together are stored together. */
export function newDeliveryId(now = new Date()): string {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(now.getTime(), 0, 6);
  bytes[6] = 0x70 | ((bytes[6] ?? 0) & 0x0f);
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
