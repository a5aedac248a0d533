// Converts addresses, hashes and signatures to text and back. It checks lengths: a native call with a wrong length ends the process.

import { base58 } from '@scure/base';

const LONGEST_TEXT = 128;

export function encodeBase58(bytes: Uint8Array): string {
  return base58.encode(bytes);
}

export function findBase58(text: string): Uint8Array | undefined {
  try {
    return base58.decode(text);
  } catch {
    return undefined;
  }
}

/** The bytes of a key or signature; undefined if the text has another length. */
export function findKeyBytes(text: string, length: 32 | 64): Uint8Array | undefined {
  if (text.length > LONGEST_TEXT) return undefined;
  const bytes = findBase58(text);
  return bytes?.length === length ? bytes : undefined;
}

export function addressBytes(address: string): Uint8Array {
  const bytes = findKeyBytes(address, 32);
  if (bytes === undefined) throw new Error(`${address} is not a Solana address.`);
  return bytes;
}
