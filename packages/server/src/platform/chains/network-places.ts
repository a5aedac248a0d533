/** Where each network is reached: mainnet from the settings, the sandbox from what its own chains say. */
import type { NetworkName } from '@market/contract';
import type { NetworkDescription } from '@market/sandbox/chains';
import type { Config } from '../../config.ts';

export interface NetworkPlace {
  readonly network: NetworkName;
  readonly caip2: string;
  readonly urls: readonly string[];
  readonly secondUrl: string | undefined;
  readonly usdcAddress: string;
  /** The hash of block 0, where the settings pin it. */
  readonly firstBlockHash?: string | undefined;
  /** True for the public network, whose node must prove that it serves it. */
  readonly isMainnet: boolean;
}

const BASE_USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
const SOLANA_USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const SOLANA_CAIP2 = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';

export function mainnetPlaces({ chains }: Config): readonly NetworkPlace[] {
  const places: NetworkPlace[] = [
    {
      network: 'solana-mainnet',
      caip2: SOLANA_CAIP2,
      urls: chains.solanaUrls,
      secondUrl: chains.secondSolanaUrl,
      usdcAddress: SOLANA_USDC,
      isMainnet: true,
    },
    {
      network: 'base-mainnet',
      caip2: 'eip155:8453',
      urls: chains.baseUrls,
      secondUrl: chains.secondBaseUrl,
      usdcAddress: BASE_USDC,
      isMainnet: true,
    },
    {
      network: 'alt-mainnet',
      caip2: `eip155:${chains.altChainId}`,
      urls: chains.altUrls,
      secondUrl: chains.secondAltUrl,
      usdcAddress: chains.altUsdcAddress ?? '',
      firstBlockHash: chains.altFirstBlockHash,
      isMainnet: true,
    },
  ];
  return places.filter(({ urls }) => urls.length > 0);
}

export function sandboxPlaces(networks: readonly NetworkDescription[]): readonly NetworkPlace[] {
  return networks.map(({ network, caip2, rpcUrl, usdcAddress }) => ({
    network,
    caip2,
    urls: [rpcUrl],
    secondUrl: undefined,
    usdcAddress,
    isMainnet: false,
  }));
}
