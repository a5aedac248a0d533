/** Signatures and addresses as text. Base58 has one spelling per value, so checking is enough to make them canonical. */
import { base58 } from '@scure/base';
import type { Address } from '@solana/addresses';

export function canonicalReference(text: string): string | undefined {
  const trimmed = text.trim();
  return isSpelling(trimmed, 64) ? trimmed : undefined;
}

export function canonicalAddress(text: string): Address | undefined {
  const trimmed = text.trim();
  return isSpelling(trimmed, 32) ? (trimmed as Address) : undefined;
}

/** For configured addresses: throws for an invalid one. */
export function requireAddress(text: string, what: string): Address {
  const found = canonicalAddress(text);
  if (found === undefined) throw new Error(`The ${what} is not a Solana address.`);
  return found;
}

const LONGEST_TEXT = 300;

/** Empty for text that is not base58, or too long: decoding is quadratic. */
export function readShortBase58(text: string): Uint8Array {
  if (text.length > LONGEST_TEXT) return new Uint8Array();
  try {
    return base58.decode(text);
  } catch {
    return new Uint8Array();
  }
}

function isSpelling(text: string, byteCount: 32 | 64): boolean {
  // A byte takes between 1 and 1.37 characters. Longer text is not decoded at all, because decoding is quadratic.
  if (text.length < byteCount || text.length > Math.ceil(byteCount * 1.37)) return false;
  try {
    const bytes = base58.decode(text);
    return bytes.length === byteCount && base58.encode(bytes) === text;
  } catch {
    return false;
  }
}
