/** Creates tokens. Only Solana has it. Every call may throw `ChainUnavailable`. */
import type { SignedTransfer, TransferOutcome } from './signed-transfer.ts';
import type { SolanaSigner } from './solana/solana-signer.ts';

/**
 * `token2022` is a mint of our own, with its whole supply in the paying wallet. `pump_fun` is a coin of pump.fun, with its whole supply on
 * its bonding curve. Identities always use `token2022`.
 */
export type LauncherName = 'token2022' | 'pump_fun';

/** A token to create. The same plan always gives the same mint, so one token is created, however often the plan is signed. */
export interface PlannedMint {
  /** Names the intent in the transaction's memo. */
  readonly intentId: string;
  readonly mint: string;
  readonly name: string;
  readonly symbol: string;
  /** URL where wallets and explorers read the remaining metadata. */
  readonly uri: string;
  readonly decimals: number;
  /** In the smallest unit. Nobody can mint more later. */
  readonly supply: bigint;
  /** The token stays in the paying wallet for ever. */
  readonly nonTransferable: boolean;
}

export interface TokenLauncher {
  /** As `Chain.signTransfer`: sends nothing, and first checks everything that would make it fail. */
  signMint(planned: PlannedMint, mintKey: SolanaSigner): Promise<SignedTransfer>;
  readOutcome(planned: PlannedMint, signed: SignedTransfer): Promise<TransferOutcome>;
  /** Whether there is a mint at this address. */
  isMade(mint: string): Promise<boolean>;
  /** The transaction that created the mint; undefined when there is none. */
  findMaking(mint: string): Promise<string | undefined>;
}
