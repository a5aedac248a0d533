/** Makes tokens. Only Solana has it. Every call may throw `ChainUnavailable`. */
import type { SignedTransfer, TransferOutcome } from './signed-transfer.ts';
import type { SolanaSigner } from './solana/solana-signer.ts';

/**
 * `token2022`: a mint of our own, all of it for the wallet that pays · `pump_fun`: a coin of pump.fun, all of it on its bonding curve.
 * Identities are always of the first kind.
 */
export type LauncherName = 'token2022' | 'pump_fun';

/** A token to be made. The same plan always makes the same mint, so however often it is signed, one comes into being. */
export interface PlannedMint {
  /** Names the intent in the transaction. */
  readonly intentId: string;
  readonly mint: string;
  readonly name: string;
  readonly symbol: string;
  /** Where wallets and explorers read the rest. */
  readonly uri: string;
  readonly decimals: number;
  /** In the smallest unit. Nobody can mint more. */
  readonly supply: bigint;
  /** The token stays in the wallet that pays, for ever. */
  readonly nonTransferable: boolean;
}

export interface TokenLauncher {
  /** As `Chain.signTransfer`: nothing is sent, and everything that would make it fail is found first. */
  signMint(planned: PlannedMint, mintKey: SolanaSigner): Promise<SignedTransfer>;
  readOutcome(planned: PlannedMint, signed: SignedTransfer): Promise<TransferOutcome>;
  /** Whether there is a mint at this address. */
  isMade(mint: string): Promise<boolean>;
  /** The transaction that made the mint at this address; undefined when there is none. */
  findMaking(mint: string): Promise<string | undefined>;
}
