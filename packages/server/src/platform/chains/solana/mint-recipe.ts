/** The instructions that create a planned token, between the fee and the memo. */
import type { Address } from '@solana/addresses';
import type { Instruction } from '@solana/instructions';
import type { PlannedMint } from '../token-launcher.ts';
import type { SolanaContext } from './solana-context.ts';

export interface MintRecipe {
  /** Throws `TransferRefused` for plans that the network would refuse anyway. */
  listSteps(context: SolanaContext, planned: PlannedMint, mint: Address): Promise<readonly Instruction[]>;
  /** Explanations of the program's error numbers, for people. */
  readonly words: ReadonlyMap<number, string>;
}
