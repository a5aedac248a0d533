/**
 * Network cost of making a token or an identity today. Rent and fees are asked from the chain, for exactly the accounts that the mint
 * creates. The marketplace charges nothing.
 */
import { launchedAccountBytes, type MintMetadata, mintComputeUnits } from '../../platform/chains/solana/mint-size.ts';
import type { LauncherName } from '../../platform/chains/token-launcher.ts';
import type { SolanaCosts } from '../../platform/wallets/wallet-chains.ts';

export interface MintCost {
  /** Rent of the accounts and the fee of the transaction, in lamports. */
  readonly cost: bigint;
  /** `cost` plus the minimum balance that keeps the paying wallet alive. */
  readonly required: bigint;
}

export interface Minting {
  readonly launcher: LauncherName;
  readonly metadata: MintMetadata;
  /** Address of the paying wallet; payer and mint both sign. */
  readonly payer: string;
  /** Address of the mint; any address will do if the mint does not exist yet. */
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
