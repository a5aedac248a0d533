/**
 * What making a token or an identity costs today. Rent and fees are asked from the chain for the very accounts that come into being;
 * nothing here is a price.
 */
import { launchedAccountBytes, type MintMetadata, mintComputeUnits } from '../../platform/chains/solana/mint-size.ts';
import type { LauncherName } from '../../platform/chains/token-launcher.ts';
import type { SolanaCosts } from '../../platform/wallets/wallet-chains.ts';

export interface MintCost {
  /** Rent of the accounts and the fee of the transaction, in lamports. */
  readonly cost: bigint;
  /** With the balance that keeps the paying wallet alive. */
  readonly required: bigint;
}

export interface Minting {
  readonly launcher: LauncherName;
  readonly metadata: MintMetadata;
  /** Signs, as the mint does. */
  readonly payer: string;
  /** Any address serves for a mint that does not exist yet. */
  readonly mint: string;
}

export async function readMintCost(costs: SolanaCosts, { launcher, metadata, payer, mint }: Minting): Promise<MintCost> {
  const [rents, walletRent, fee] = await Promise.all([
    Promise.all(launchedAccountBytes(launcher, metadata).map((bytes) => costs.readRent(bytes))),
    costs.readRent(0),
    costs.readFee([payer, mint], mintComputeUnits(launcher, metadata)),
  ]);
  const cost = rents.reduce((sum, rent) => sum + rent, fee);
  return { cost, required: cost + walletRent };
}
