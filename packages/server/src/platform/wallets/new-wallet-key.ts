/** Fresh keys from the operating system's randomness, as hex text to be sealed at once. */
import { ed25519 } from '@noble/curves/ed25519';
import { secp256k1 } from '@noble/curves/secp256k1';
import { keccak_256 } from '@noble/hashes/sha3';
import { base58 } from '@scure/base';
import { checksumAddress } from './wallet-address.ts';

export type WalletKind = 'solana' | 'evm';

export function newWalletKey(kind: WalletKind): { readonly address: string; readonly secret: string } {
  if (kind === 'solana') {
    const secret = ed25519.utils.randomPrivateKey();
    return { address: base58.encode(ed25519.getPublicKey(secret)), secret: Buffer.from(secret).toString('hex') };
  }
  const secret = secp256k1.utils.randomPrivateKey();
  const publicKey = secp256k1.getPublicKey(secret, false).subarray(1);
  return {
    address: checksumAddress(Buffer.from(keccak_256(publicKey).subarray(-20)).toString('hex')),
    secret: Buffer.from(secret).toString('hex'),
  };
}
