/** Checks by the address alone whether a person other than us can hold its key. */
import { type Address, isOffCurveAddress } from '@solana/addresses';
import { canonicalAddress } from './base58-text.ts';
import type { SolanaContext } from './solana-context.ts';
import { unfit } from './unfit-destination.ts';

export function requireWalletAddress({ treasury }: Pick<SolanaContext, 'treasury'>, text: string): Address {
  const address = canonicalAddress(text);
  if (address === undefined) throw unfit('is not a Solana address');
  if (address === treasury) throw unfit('is the treasury itself');
  // An off-curve address has no key; only a program could move the money, and most never would.
  if (isOffCurveAddress(address)) throw unfit('belongs to a program and not to a wallet');
  return address;
}
