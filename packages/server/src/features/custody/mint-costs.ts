/**
 * What creating a Token-2022 mint with on-chain metadata costs today. Rent and fees are asked from the chain for the very accounts that a
 * launch and an identity mint create; nothing here is a price.
 */
import { type MintMetadata, mintBytes, tokenAccountBytes } from '../../platform/chains/solana/mint-size.ts';
import type { SolanaCosts } from '../../platform/wallets/wallet-chains.ts';

export interface MintCost {
  /** Rent of the mint and of the first token account, and the fees of the transactions, in lamports. */
  readonly cost: bigint;
  /** With the balance that keeps the paying wallet alive. */
  readonly required: bigint;
}

/** The prototype of a launch used 26,000. */
const COMPUTE_UNITS = 150_000;

/** `payer` and `mint` sign. Any address serves for a mint that does not exist yet. */
export async function readMintCost(costs: SolanaCosts, metadata: MintMetadata, payer: string, mint: string): Promise<MintCost> {
  const [mintRent, accountRent, walletRent, fee] = await Promise.all([
    costs.readRent(mintBytes(metadata)),
    costs.readRent(tokenAccountBytes(metadata)),
    costs.readRent(0),
    costs.readFee([payer, mint], COMPUTE_UNITS),
  ]);
  const cost = mintRent + accountRent + fee;
  return { cost, required: cost + walletRent };
}
