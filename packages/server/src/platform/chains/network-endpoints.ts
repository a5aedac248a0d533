/** Endpoints of each network: mainnet from its record and the settings, the sandbox from its own chains. */
import { type NetworkName, networkFacts, networkNames } from '@market/contract';
import type { NetworkDescription } from '@market/sandbox/chains';
import type { Config } from '../../config.ts';
import type { NodeWatch } from './node-watch.ts';
import type { LauncherName } from './token-launcher.ts';

export interface NetworkEndpoint {
  readonly network: NetworkName;
  readonly caip2: string;
  readonly urls: readonly string[];
  readonly secondUrl: string | undefined;
  readonly usdcAddress: string;
  /** ERC-8004 Identity Registry; undefined if agents are not registered on chain. */
  readonly identityRegistry?: string | undefined;
  /** The program that creates tokens there. Default: `token2022`. */
  readonly tokenLauncher?: LauncherName | undefined;
  /** ERC-8004 Reputation Registry; undefined if reviews are not published on chain. */
  readonly reputationRegistry?: string | undefined;
  /** The hash of block 0, if the record or the settings pin it. */
  readonly firstBlockHash?: string | undefined;
  /** True for the public network: its node must prove that it serves this network. */
  readonly isMainnet: boolean;
  /** Every client of the node asks this watch before each call. Absent: the node is used unproven. */
  readonly watch?: NodeWatch | undefined;
}

export function mainnetEndpoints({ chains }: Config): readonly NetworkEndpoint[] {
  return networkNames.flatMap((network) => {
    const { urls, secondUrl, chainId, usdcAddress, firstBlockHash, identityRegistry, reputationRegistry } = chains.nodes[network];
    const facts = networkFacts[network];
    if (urls.length === 0) return [];
    return {
      network,
      caip2: facts.caip2 ?? `eip155:${chainId}`,
      urls,
      secondUrl,
      usdcAddress: facts.usdcAddress ?? usdcAddress ?? '',
      identityRegistry,
      reputationRegistry,
      firstBlockHash: facts.genesisHash ?? firstBlockHash,
      isMainnet: true,
    };
  });
}

export function localEndpoints(networks: readonly NetworkDescription[]): readonly NetworkEndpoint[] {
  return networks.map(({ network, caip2, rpcUrl, usdcAddress, identityRegistry, reputationRegistry }) => ({
    network,
    caip2,
    urls: [rpcUrl],
    secondUrl: undefined,
    usdcAddress,
    identityRegistry,
    reputationRegistry,
    isMainnet: false,
  }));
}
