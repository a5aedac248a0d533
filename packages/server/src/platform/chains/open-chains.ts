/** The chains of this deployment, ready to ask: clients, treasury signers, second opinions, proof of identity. */
import type { NetworkName } from '@market/contract';
import type { Chain } from './chain.ts';
import { createEvmChain } from './evm/evm-chain.ts';
import { withIdentityWatch } from './identity-watch.ts';
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
const BASE_FIRST_BLOCK = '0xf712aa9241cc24369b143cf6dce85f0902a9731e70d66818a3a5845b296c73dd';

/** Whoever sends a signature waits for it to be checked, and can send it again. */
const SIGNATURE_PATIENCE = { timeoutMs: 3_000, tries: 2 };

export async function openChains(
  places: readonly NetworkPlace[],
  signers: TreasurySigners,
  secondOpinionFromMicros: bigint,
  provenForMs?: number,
): Promise<ReadonlyMap<NetworkName, Chain>> {
  const chains = new Map<NetworkName, Chain>();
  for (const place of places) {
    const { secondUrl, urls } = place;
    const open = (nodes: readonly string[]) => withIdentityWatch(openChain(place, nodes, signers), provenForMs);
    const first = open(urls);
    const chain = secondUrl === undefined ? first : withSecondOpinion(first, open([secondUrl]), secondOpinionFromMicros);
    await chain.requireIdentity();
    chains.set(place.network, chain);
  }
  return chains;
}

function openChain(place: NetworkPlace, urls: readonly string[], signers: TreasurySigners): Chain {
  const { network, caip2, usdcAddress, isMainnet, firstBlockHash } = place;
  const rpc = createJsonRpcClient({ network, urls });
  if (network === 'solana-mainnet') {
    const identity = isMainnet ? { identity: { genesisHash: SOLANA_GENESIS } } : {};
    return createSolanaChain({ network, caip2, usdcMint: usdcAddress, treasury: requireSigner(signers.solana, network), rpc, ...identity });
  }
  const chainId = Number(caip2.split(':')[1]);
  const pinned = isMainnet && network === 'base-mainnet' ? BASE_FIRST_BLOCK : firstBlockHash;
  const identity = pinned === undefined ? {} : { identity: { blockNumber: 0n, blockHash: pinned } };
  const signatureRpc = createJsonRpcClient({ network, urls, ...SIGNATURE_PATIENCE });
  // The sandbox's history is short and all ours; on mainnet the watch begins when the service does.
  // And what it can take back on request is everything above `finalized`.
  const start = isMainnet ? {} : { startBlock: 0n, finalTag: 'finalized' as const };
  return createEvmChain({
    network,
    chainId,
    usdcAddress,
    treasury: requireSigner(signers.evm, network),
    rpc,
    signatureRpc,
    ...identity,
    ...start,
  });
}

function requireSigner<T>(signer: T | undefined, network: NetworkName): T {
  if (signer === undefined) throw new Error(`no treasury key is configured for ${network}`);
  return signer;
}
