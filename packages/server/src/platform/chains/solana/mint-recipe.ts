/** How a planned token comes into being: the instructions between the offered fee and the memo. */
import type { Address } from '@solana/addresses';
import type { Instruction } from '@solana/instructions';
import type { PlannedMint } from '../token-launcher.ts';
import type { SolanaContext } from './solana-context.ts';

export interface MintRecipe {
  /** Throws `TransferRefused` for what the network would refuse anyway. */
  listSteps(context: SolanaContext, planned: PlannedMint, mint: Address): Promise<readonly Instruction[]>;
  /** What error numbers of the program mean, for people. */
  readonly words: ReadonlyMap<number, string>;
}
