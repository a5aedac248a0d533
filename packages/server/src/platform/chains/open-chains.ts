/** The chains of this deployment, ready to ask: clients, treasury signers, second opinions, proof of identity. */
import type { NetworkName } from '@market/contract';
import type { Chain } from './chain.ts';
import { createEvmChain } from './evm/evm-chain.ts';
import { createJsonRpcClient } from './json-rpc.ts';
import type { NetworkPlace } from './network-places.ts';
import { withSecondOpinion } from './second-opinion.ts';
import { createSolanaChain } from './solana/solana-chain.ts';
import type { SolanaSigner } from './solana/solana-signer.ts';
import type { EvmSigner } from './treasury-signer.ts';

/** An address alone receives and is watched; a key signs, too. */
export interface TreasurySigners {
  readonly solana: SolanaSigner | { readonly address: string } | undefined;
  readonly evm: EvmSigner | { readonly address: string } | undefined;
}

/** Old, public facts by which a node shows that it serves the network it should. */
const SOLANA_GENESIS = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d';
const BASE_GENESIS = { blockNumber: 0n, blockHash: '0xf712aa9241cc24369b143cf6dce85f0902a9731e70d66818a3a5845b296c73dd' } as const;

export async function openChains(
  places: readonly NetworkPlace[],
  signers: TreasurySigners,
  secondOpinionFromMicros: bigint,
): Promise<ReadonlyMap<NetworkName, Chain>> {
  const chains = new Map<NetworkName, Chain>();
  for (const place of places) {
    const { secondUrl, urls } = place;
    const first = openChain(place, urls, signers);
    const chain =
      secondUrl === undefined ? first : withSecondOpinion(first, openChain(place, [secondUrl], signers), secondOpinionFromMicros);
    await chain.requireIdentity();
    chains.set(place.network, chain);
  }
  return chains;
}

function openChain(place: NetworkPlace, urls: readonly string[], signers: TreasurySigners): Chain {
  const { network, caip2, usdcAddress, isMainnet } = place;
  const rpc = createJsonRpcClient({ network, urls });
  if (network === 'solana-mainnet') {
    const identity = isMainnet ? { identity: { genesisHash: SOLANA_GENESIS } } : {};
    return createSolanaChain({ network, caip2, usdcMint: usdcAddress, treasury: requireSigner(signers.solana, network), rpc, ...identity });
  }
  const chainId = Number(caip2.split(':')[1]);
  const identity = isMainnet && network === 'base-mainnet' ? { identity: BASE_GENESIS } : {};
  // The sandbox's history is short and all ours; on mainnet the watch begins when the service does.
  // And what it can take back on request is everything above `finalized`.
  const start = isMainnet ? {} : { startBlock: 0n, finalTag: 'finalized' as const };
  return createEvmChain({ network, chainId, usdcAddress, treasury: requireSigner(signers.evm, network), rpc, ...identity, ...start });
}

function requireSigner<T>(signer: T | undefined, network: NetworkName): T {
  if (signer === undefined) throw new Error(`no treasury key is configured for ${network}`);
  return signer;
}
