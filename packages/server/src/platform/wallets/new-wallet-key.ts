/** New keys from the operating system's randomness, as hex text for the caller to seal at once. */
import { ed25519 } from '@noble/curves/ed25519';
import { secp256k1 } from '@noble/curves/secp256k1';
import { keccak_256 } from '@noble/hashes/sha3';
import { base58 } from '@scure/base';
import { checksumAddress } from './wallet-address.ts';

export type WalletKind = 'solana' | 'evm';

export function newWalletKey(kind: WalletKind): { readonly address: string; readonly secret: string } {
  const curve = kind === 'solana' ? ed25519 : secp256k1;
  const secret = Buffer.from(curve.utils.randomPrivateKey()).toString('hex');
  return { address: addressOfKey(kind, secret), secret };
}

/** The address that belongs to a key. */
export function addressOfKey(kind: WalletKind, secret: string): string {
  if (kind === 'solana') return base58.encode(ed25519.getPublicKey(secret));
  const publicKey = secp256k1.getPublicKey(secret, false).subarray(1);
  return checksumAddress(Buffer.from(keccak_256(publicKey).subarray(-20)).toString('hex'));
}
