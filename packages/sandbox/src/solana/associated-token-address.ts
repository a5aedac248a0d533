// The address at which a wallet holds a token: the first hash, counting the last seed down from 255, that is no point on the curve.

import { createHash } from 'node:crypto';
import { ed25519 } from '@noble/curves/ed25519';
import { addressBytes, encodeBase58 } from './base58.ts';
import { ASSOCIATED_TOKEN_PROGRAM, TOKEN_PROGRAM } from './programs.ts';

export function associatedTokenAddress(owner: string, mint: string): string {
  const seeds = [owner, TOKEN_PROGRAM, mint].map(addressBytes);
  for (let bump = 255; bump >= 0; bump--) {
    const hash = createHash('sha256');
    for (const seed of seeds) hash.update(seed);
    const candidate = hash.update(Buffer.of(bump)).update(addressBytes(ASSOCIATED_TOKEN_PROGRAM)).update('ProgramDerivedAddress').digest();
    if (!isOnCurve(candidate)) return encodeBase58(candidate);
  }
  throw new Error(`${owner} has no associated token address for ${mint}.`);
}

function isOnCurve(bytes: Uint8Array): boolean {
  try {
    ed25519.ExtendedPoint.fromHex(bytes);
    return true;
  } catch {
    return false;
  }
}
