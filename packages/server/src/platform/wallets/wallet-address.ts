/** The canonical spelling of a wallet, so that the same wallet is always the same text in the database. */
import { chainOfAddress, type WalletChain } from '@market/contract';
import { keccak_256 } from '@noble/hashes/sha3';
import { base58 } from '@scure/base';

export interface CanonicalWallet {
  readonly chain: WalletChain;
  readonly address: string;
}

/** Undefined for text that is no wallet address, or is not one on the chain that `hint` names. */
export function canonicalWallet(address: string, hint?: WalletChain): CanonicalWallet | undefined {
  const chain = chainOfAddress(address);
  if (chain === undefined || (hint !== undefined && hint !== chain)) return undefined;
  if (chain === 'base') return { chain, address: checksumAddress(address.slice(2)) };
  // The pattern limits the length to 44 characters, so no long text is decoded (decoding is quadratic).
  return base58.decode(address).length === 32 ? { chain, address } : undefined;
}

/** EIP-55: a letter is upper-case where the hash of the lower-case address has a nibble of 8 or more. */
export function checksumAddress(hexDigits: string): string {
  const digits = hexDigits.toLowerCase();
  const hash = Buffer.from(keccak_256(digits)).toString('hex');
  return `0x${Array.from(digits, (digit, index) => (Number.parseInt(hash.charAt(index), 16) >= 8 ? digit.toUpperCase() : digit)).join('')}`;
}
