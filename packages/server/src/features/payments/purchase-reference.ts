/**
 * A transfer that names its purchase. The challenge gives a short text, which a transfer carries as a memo on Solana, or behind the
 * calldata on EVM networks. Such a transfer can pay only for that offer and request. Nothing is stored: the text is a keyed hash that
 * includes its expiry.
 */
import { timingSafeEqual } from 'node:crypto';
import type { SecretBox } from '../../platform/secrets/secret-box.ts';

export interface NamedPurchase {
  readonly purpose: string;
  readonly amountMicros: bigint;
  /** A hash of the request, so that the same payment cannot be meant for another one. */
  readonly fingerprint: Buffer;
  /** The key, program or account that asked. Null: anybody who knows the request may present the transfer. */
  readonly asker?: string | null;
}

export interface PurchaseReference {
  /** 36 plain visible characters. */
  readonly text: string;
  readonly expiresAt: Date;
}

type Keys = Pick<SecretBox, 'lookupHashes'>;

const PREFIX = 'mp1';
const LIFE_SECONDS = 1_800;
const MAC_BYTES = 18;
const FORM = /^mp1-([0-9a-z]{6,8})-([A-Za-z0-9_-]{24})$/;

export function createReference(keys: Keys, purchase: NamedPurchase, now: Date): PurchaseReference {
  const expires = Math.floor(now.getTime() / 1000) + LIFE_SECONDS;
  const [mac] = macsOf(keys, purchase, expires);
  if (mac === undefined) throw new Error('there is always a current key');
  return { text: `${PREFIX}-${expires.toString(36)}-${mac.toString('base64url')}`, expiresAt: new Date(expires * 1000) };
}

/** Whether this note of a transfer made at `paidAt` names this purchase. */
export function namesPurchase(keys: Keys, purchase: NamedPurchase, note: string, paidAt: Date): boolean {
  const [, end = '', given = ''] = FORM.exec(note.trim()) ?? [];
  if (end === '') return false;
  const expires = Number.parseInt(end, 36);
  if (paidAt.getTime() > expires * 1000) return false;
  const shown = Buffer.from(given, 'base64url');
  return macsOf(keys, purchase, expires).some((mac) => mac.length === shown.length && timingSafeEqual(mac, shown));
}

function macsOf(keys: Keys, { purpose, amountMicros, fingerprint, asker = null }: NamedPurchase, expires: number): Buffer[] {
  const named = ['payment-reference', purpose, amountMicros, fingerprint.toString('hex'), expires];
  const text = [...named, ...(asker === null ? [] : [asker])].join('\n');
  return keys.lookupHashes(text).map((hash) => hash.subarray(0, MAC_BYTES));
}
