/** The contract that moves the treasury's USDC into vaults. Only EVM networks have it. Every call may throw `ChainUnavailable`. */
import type { SignedTransfer } from './signed-transfer.ts';

export interface EarnRouterDeployer {
  /** Where `sign` puts it: the same address on every network. */
  readonly address: string;
  /** Why the contract at this address is not the router of this version; undefined when it is. */
  check(address: string): Promise<string | undefined>;
  /** In wei, at today's price. */
  estimate(): Promise<bigint>;
  /** Signs its deployment with the treasury's key. Nothing is sent. */
  sign(): Promise<SignedTransfer>;
}
