/** Checks of a transfer that need no node: a positive amount and a destination that can be a wallet. */
import type { Hex } from 'viem';
import { type OutgoingTransfer, TransferRefused } from '../chain.ts';
import { canonicalAddress, type EvmContext } from './evm-context.ts';

/** Returns the destination in its canonical spelling. */
export function requirePayable({ network, treasury, usdc }: EvmContext, { destination, amount }: OutgoingTransfer): Hex {
  const address = canonicalAddress(destination);
  if (address === undefined || BigInt(address) === 0n)
    throw new TransferRefused('destination', `${destination} is no address on ${network}.`);
  if (isPrecompile(address)) throw new TransferRefused('destination', `${destination} is part of ${network} itself and not a wallet.`);
  if (address === treasury || address === usdc) throw new TransferRefused('destination', `${destination} is not a wallet to pay to.`);
  if (amount <= 0n) throw new TransferRefused('other', 'There is nothing to transfer.');
  return address;
}

/** The lowest addresses are precompiles: ten of Ethereum's, more of later forks, and 0x100 for passkeys. */
const LAST_RESERVED = 0xffffn;

function isPrecompile(address: Hex): boolean {
  return BigInt(address) <= LAST_RESERVED;
}
