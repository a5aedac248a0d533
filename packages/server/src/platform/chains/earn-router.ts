/** The contract that moves the treasury's USDC into vaults. Only EVM networks have it. Every call may throw `ChainUnavailable`. */
import type { SignedTransfer } from './signed-transfer.ts';

export interface EarnRouterDeployer {
  /** The address where `sign` puts the contract: the same on every network. */
  readonly address: string;
  /** Why the contract at this address is not the router of this version; undefined when it is. */
  check(address: string): Promise<string | undefined>;
  /** Cost of the deployment in wei, at today's price. */
  estimate(): Promise<bigint>;
  /** Signs the deployment with the treasury's key. Sends nothing. */
  sign(): Promise<SignedTransfer>;
}
