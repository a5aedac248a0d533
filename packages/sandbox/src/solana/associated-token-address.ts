// Program-derived addresses: the first hash, counting the bump seed down from 255, that is not on the curve.

import { createHash } from 'node:crypto';
import { ed25519 } from '@noble/curves/ed25519';
import { addressBytes, encodeBase58 } from './base58.ts';
import { ASSOCIATED_TOKEN_PROGRAM, TOKEN_PROGRAM } from './programs.ts';

/** The address of a wallet's account for a token. */
export function associatedTokenAddress(owner: string, mint: string): string {
  return programDerivedAddress(ASSOCIATED_TOKEN_PROGRAM, [owner, TOKEN_PROGRAM, mint].map(addressBytes));
}

/** The address of a token's pool, where the sandbox's price source reads it. It has no private key. */
export function tokenPoolAddress(mint: string): string {
  return programDerivedAddress(TOKEN_PROGRAM, [Buffer.from('pool'), addressBytes(mint)]);
}

function programDerivedAddress(program: string, seeds: readonly Uint8Array[]): string {
  for (let bump = 255; bump >= 0; bump--) {
    const hash = createHash('sha256');
    for (const seed of seeds) hash.update(seed);
    const candidate = hash.update(Buffer.of(bump)).update(addressBytes(program)).update('ProgramDerivedAddress').digest();
    if (!isOnCurve(candidate)) return encodeBase58(candidate);
  }
  throw new Error(`${program} has no address for these seeds.`);
}

function isOnCurve(bytes: Uint8Array): boolean {
  try {
    ed25519.ExtendedPoint.fromHex(bytes);
    return true;
  } catch {
    return false;
  }
}
